#!/usr/bin/env bash
# The first part of scripts/gpu-verify on a virtual device, which says whether a bundle is good: every problem has
# run there, and its result was checked. So where the kernels of a codelet do nothing, and no call of CUDA fails,
# the steps of its algorithms fail, by their checks, and no other does.
#   verify.sh short|long SOURCE_DIRECTORY ORRERY DIRECTORY-OF-THE-STAND-INS
# short loses codelets of different algorithms together, long one at a time.
# SPDX-License-Identifier: BSD-3-Clause
set -u
how=$1 source=$2 orrery=$3 stand_ins=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/bundle/{bin,bench,lib,tests} "$work"/fake "$work"/tmp
cp "$source/scripts/gpu-verify" "$work/bundle/"
: >"$work/bundle/tests/list.tsv"
printf '#!/bin/sh\necho "GPU 0: virtual"\n' >"$work/fake/nvidia-smi"
cat >"$work/bundle/bin/orrery" <<EOF
#!/bin/sh
LD_PRELOAD=libcudart.so exec "$orrery" "\$@"
EOF
chmod +x "$work"/bundle/bin/* "$work"/fake/*
export PATH=$work/fake:$PATH TMPDIR=$work/tmp LD_LIBRARY_PATH=$stand_ins STRETCH=20
export VGPU_DEVICES=1 VGPU_MEMORY=1024 VGPU_EXACT=1
bad=0
fail() { echo "FAIL: $*"; bad=1; }

verify() { # NAME [VARIABLE=VALUE...]: a bundle of its own, so that all steps run
    local name=$1
    shift
    echo "git $name $$" >"$work/bundle/manifest.txt"
    (cd "$work/bundle" && env "$@" OUT="$work/$name" ./gpu-verify trivial) >"$work/$name.log" 2>&1
}
status() { # NAME STEP
    sed -n "s/.*\"name\":\"$2\",\"status\":\"\([a-z]*\)\".*/\1/p" "$work/$1/results.jsonl"
}

steps=(heevj hb2st gb2bd gesvj heev gesvd powm)
codelet=(heevj_chunk hb2st_chase gb2bd_chase gesvj_chunk hb2st_apply ge2gb_apply powm_spmv)
verify good VGPU_RECORD="$work/record" || fail "gpu-verify: $(grep -v ' ok ' "$work/good.log")"
for i in "${!steps[@]}"; do
    [ "$(status good "${steps[i]}")" = ok ] || fail "${steps[i]} is '$(status good "${steps[i]}")'"
    awk -F '\t' -v c="${codelet[i]}" '$1 == "launch" && $3 == c { n += $7 } END { exit !n }' "$work/record" ||
        fail "${codelet[i]} was not on the device"
done
lost() { # CODELET,... STEP...: those that fail
    local lost=$1 step wanted
    shift
    verify "$lost" VGPU_LOSE="$lost" && fail "$lost is lost, and gpu-verify sees nothing"
    for step in "${steps[@]}"; do
        wanted=ok
        case " $* " in *" $step "*) wanted=failed ;; esac
        [ "$(status "$lost" "$step")" = $wanted ] ||
            fail "$lost is lost: $step is '$(status "$lost" "$step")', not $wanted: $(grep "\"$step\"" "$work/$lost/results.jsonl")"
    done
    grep '"status":"failed"' "$work/$lost/results.jsonl" | sed "s/^/$lost is lost: /"
}
case $how in
short)
    lost heevj_chunk,hb2st_chase,powm_spmv heevj hb2st heev powm
    lost gb2bd_chase,gesvj_chunk gb2bd gesvd gesvj ;;
long)
    lost heevj_chunk heevj
    lost hb2st_chase hb2st heev
    lost gb2bd_chase gb2bd gesvd
    lost gesvj_chunk gesvj
    lost powm_spmv powm ;;
*) exit 2 ;;
esac
lost hb2st_apply heev gesvd
exit $bad
