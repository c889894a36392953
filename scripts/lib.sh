# Sourced by the other scripts: messages, places, Debian packages, StarPU flavours.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${ORRERY_CACHE:-$HOME/.cache/orrery}

# --help: the comment that a script begins with
case ${1:-} in -h | --help) sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

jobs() { # JOBS, else one compiler per core, as long as each has 1 GiB of memory
    local cores gib
    cores=$(nproc)
    gib=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
    echo "${JOBS:-$((gib < cores ? (gib > 0 ? gib : 1) : cores))}"
}

# ---- Debian packages -------------------------------------------------------------------

packages_for() { # PURPOSE...: prints package names
    local purpose
    for purpose; do
        case $purpose in
        build)  echo gcc g++ cmake ninja-build pkg-config git libhwloc-dev libopenblas-dev liblapack-dev zlib1g-dev libfyaml-dev ;;
        starpu) if installed libstarpu-contrib-dev; then echo libstarpu-contrib-dev; else echo libstarpu-dev; fi ;;
        contrib) echo libstarpu-contrib-dev nvidia-cuda-toolkit ;;
        source) echo gcc g++ make pkg-config dpkg-dev patch xz-utils libhwloc-dev libglpk-dev ;;
        opencl) echo ocl-icd-opencl-dev opencl-headers pocl-opencl-icd ;;
        simt)   echo libboost-context-dev ;;
        fuzz)   echo clang libclang-rt-dev ;;
        tests)  echo make starpu-examples python3 python3-numpy python3-scipy python3-pip flake8 clang-format gfortran abigail-tools nodejs libxml2-utils libglpk-dev libopenblas0-openmp libblis4-pthread libblis4-openmp zsh fish mandoc groff-base man-db liblapack-test ;;
        simgrid) echo libsimgrid-dev libboost-dev ;;
        bundle) echo patchelf ;;
        cache)  echo ccache ;;
        abi)    echo abigail-tools ;;
        coverage) echo gcovr ;;
        deb)    echo build-essential debhelper dh-python lintian python3-numpy; packages_for build starpu ;;
        bareroot) echo mmdebstrap ;;
        mpi)    echo libopenmpi-dev openmpi-bin ;;
        *)      die "no packages are known for '$purpose'" ;;
        esac
    done | tr ' ' '\n' | sort -u
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; } # PACKAGE

missing_packages() { # PACKAGE...: prints those that are not installed
    local p
    for p; do
        installed "$p" || echo "$p"
    done
}

need() { # PURPOSE...: installs what is missing; asks for root only then
    command -v dpkg-query >/dev/null || { say "not a Debian system: assuming that everything for '$*' is installed"; return 0; }
    local wanted todo as_root=()
    wanted=$(packages_for "$@")
    # shellcheck disable=SC2086 # words
    mapfile -t todo < <(missing_packages $wanted)
    [ ${#todo[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "these packages are missing, and installing them needs root: ${todo[*]}"
        as_root=(sudo)
    fi
    say "installing ${todo[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -ec '
        apt-get -q update
        apt-get -q -y install --no-install-recommends "$@"' sh "${todo[@]}" </dev/null >&2 \
        || die "apt-get could not install ${todo[*]}"
}

# ---- StarPU --------------------------------------------------------------------------------

release() { (. /etc/os-release && echo "${VERSION_CODENAME:-unknown}") 2>/dev/null || echo unknown; } # bookworm, trixie, ...

# The Debian archives that this machine uses, for another release: lines of a sources.list.
archives() { # RELEASE
    # shellcheck disable=SC2016 # apt's variables
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' \
        | sed "s/ $(release)/ $1/" | sort -u
}

starpu_release=$(release) # whose StarPU is meant, unless scripts/starpu is told another
starpu_package() { # Debian's source package that scripts/starpu was tried with
    case $starpu_release in
    trixie) echo 1.4.7+dfsg-2 ;;
    sid) echo 1.4.10+dfsg-2 ;;
    *) echo 1.3.10+dfsg-2 ;;
    esac
}
starpu_version() { starpu_package | sed 's/[+-].*//'; }
starpu_prefix() { echo "$cache/starpu/$(starpu_version)-$1"; } # FLAVOUR

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; }
cuda_home() { echo "${CUDA_HOME:-/usr/local/cuda}"; }

debian_workers() { [ "$(release)" = trixie ] && echo 32 || echo 4; } # CPUs that Debian's StarPU drives

# Debian 13 has a StarPU with CUDA in contrib, and in non-free the toolkit that it was built with.
contrib_known() {
    [ "$(release)" = trixie ] && [ -n "$(apt-cache madison libstarpu-contrib-dev)" ] && [ -n "$(apt-cache madison nvidia-cuda-toolkit)" ]
}

choose_flavour() { # the StarPU that suits this machine; ORR_STARPU overrides
    if [ -n "${ORR_STARPU:-}" ]; then echo "$ORR_STARPU"
    elif has_gpu && contrib_known; then echo contrib
    elif has_gpu && [ -x "$(cuda_home)/bin/nvcc" ]; then echo cuda
    elif [ "$(nproc)" -gt "$(debian_workers)" ]; then echo cpu
    else echo debian
    fi
}

need_starpu() { # FLAVOUR
    case $1 in
    debian) need starpu ;;
    contrib) need contrib ;;
    pkg-config) ;;
    *) "$root/scripts/starpu" "$1" ;;
    esac
}

starpu_options() { # FLAVOUR: prints options of cmake, one on each line
    case $1 in
    contrib) printf '%s\n' -DORR_STARPU=debian -DORR_CUDA=ON -DCMAKE_CUDA_COMPILER=/usr/bin/nvcc ;;
    cuda) printf '%s\n' -DORR_STARPU=cuda -DORR_CUDA=ON "-DCMAKE_CUDA_COMPILER=$(cuda_home)/bin/nvcc" ;;
    *) echo "-DORR_STARPU=$1" ;;
    esac
}
