;;; guix build -L packaging/guix orrery        from a clone or an unpacked release
;;; StarPU comes from the channel guix-hpc.
;;;
;;; SPDX-License-Identifier: BSD-3-Clause

(define-module (orrery)
  #:use-module (guix gexp)
  #:use-module (guix packages)
  #:use-module ((guix licenses) #:prefix license:)
  #:use-module (guix build-system cmake)
  #:use-module (gnu packages compression)
  #:use-module (gnu packages maths)
  #:use-module (gnu packages mpi)
  #:use-module (gnu packages pkg-config)
  #:use-module (gnu packages python)
  #:use-module (gnu packages python-xyz)
  #:use-module (inria storm))

(define-public orrery
  (package
    (name "orrery")
    (version "0.1.0")
    (source (local-file "../.." "orrery-checkout"
                        #:recursive? #t
                        #:select? (lambda (file stat)
                                    (not (string-contains file "/build/")))))
    (build-system cmake-build-system)
    (arguments
     (list #:build-type "Release"       ;the kernels want -O3
           #:configure-flags
           #~(list "-DORR_STARPU=pkg-config"
                   "-DORR_BENCH=OFF"
                   "-DORR_EXAMPLES=OFF"
                   "-DORR_TEST_DIRS=io;algorithms;cli;lapack;install"
                   "-DBLA_VENDOR=OpenBLAS")
           ;; All tests take half an hour: one quick one of each kind.
           #:phases
           #~(modify-phases %standard-phases
               (replace 'check
                 (lambda* (#:key tests? #:allow-other-keys)
                   (when tests?
                     (invoke "ctest" "-L" "smoke" "--output-on-failure")))))))
    (native-inputs (list pkg-config python python-numpy))
    (inputs (list `(,hwloc "lib") openblas zlib))
    (propagated-inputs (list starpu))   ;its headers' prefix is in orrery.pc
    (home-page "https://orrery.invalid")
    (synopsis "Eigenvalues and singular values as StarPU task graphs")
    (description
     "Orrery computes eigenvalues and vectors of one large or many small
Hermitian matrices, singular values, reductions of band matrices and principal
eigenvectors of sparse matrices on nodes with CPUs and GPUs.  Each algorithm is
a graph of tasks that StarPU places.")
    (license license:bsd-3)))
