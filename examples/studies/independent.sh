#!/bin/sh
# The kernels of a Cholesky factorization without its edges: independent.sh ORRERY TILES OUT. Times are those of StarPU's own models of
# its authors' machine sirocco (tiles of order 960, single precision), read where StarPU is installed; syrk, of which they have no time
# for two tiles, is taken for half a gemm. SPDX-License-Identifier: BSD-3-Clause
for models in ${STARPU_MODELS:-/usr/share/starpu/perfmodels/sampling/codelets/45}; do
    if [ ! -r "$models/chol_model_22.sirocco" ]; then
        echo "no StarPU models in $models: Debian's are in starpu-examples; STARPU_MODELS names another directory" >&2
        exit 77
    fi
    "$1" graph make cholesky --size "$2" --tile 960 --type s --cpus 24 --gpus 4 --time syrk=17470:372 -q \
        --model "potrf=$models/chol_model_11.sirocco,trsm=$models/chol_model_21.sirocco,gemm=$models/chol_model_22.sirocco" |
        awk '/^data / { next } /^task / { sub(/ [0-9]+:.*/, "") } { print }' >"$3"
done
