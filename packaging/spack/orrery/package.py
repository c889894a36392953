# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Orrery(CMakePackage, CudaPackage):
    """Eigenvalues, singular values and principal eigenvectors on nodes with CPUs
    and GPUs, as StarPU task graphs."""

    homepage = "https://orrery.invalid"
    git = "https://orrery.invalid/orrery.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("cuda", default=False, description="CUDA kernels")
    variant("mpi", default=False, description="Sparse matrices and batches over several nodes")
    variant("python", default=False, description="The Python package orrery")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("starpu@1.3:1.4~simgrid")
    depends_on("starpu+cuda", when="+cuda")
    depends_on("hwloc")
    depends_on("blas")
    depends_on("lapack")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    with when("+python"):
        depends_on("python@3.9:", type=("build", "run"))
        depends_on("py-numpy@1.22:", type=("build", "run"))

    conflicts("cuda_arch=none", when="+cuda", msg="name the devices: cuda_arch=80,90")
    conflicts("%gcc@:9", msg="C11 and C++17 as of GCC 10")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("ORR_STARPU", "pkg-config"),
            self.define_from_variant("ORR_CUDA", "cuda"),
            self.define_from_variant("ORR_MPI", "mpi"),
            self.define("ORR_BENCH", False),
            self.define("ORR_EXAMPLES", False),
            self.define("ORR_TESTS", self.run_tests),
        ]

        if spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", spec.variants["cuda_arch"].value))
        if spec.satisfies("+python"):
            args.append(self.define("ORR_PYTHON_DIR", python_platlib))

        if spec.satisfies("^[virtuals=blas,lapack] intel-oneapi-mkl"):
            args.append(self.define("BLA_VENDOR", "Intel10_64lp_seq"))
        elif spec.satisfies("^[virtuals=blas,lapack] openblas"):
            args.append(self.define("BLA_VENDOR", "OpenBLAS"))
        elif spec.satisfies("^[virtuals=blas,lapack] netlib-lapack"):
            args.append(self.define("BLA_VENDOR", "Generic"))

        return args

    def check(self):
        """One quick test of each kind; all of them take half an hour."""
        with working_dir(self.build_directory):
            ctest("-L", "smoke")
