#!/bin/sh
# installed_blas.sh LIBRARY PROGRAM NAME: the test of BLAS's threads with LIBRARY preloaded, which is looked for among
# the libraries of the system, in $ORR_TEST_BLAS (directories) and, if it has a folder, in those of Debian's alternatives.
found=
for place in $(echo "$ORR_TEST_BLAS" | tr : ' ') /usr/lib/*-linux-gnu; do
    for file in "$place/$1" "$place/$1".[0-9]; do [ -e "$file" ] && [ -z "$found" ] && found=$file; done
done
case $1 in */*) ;; *) [ -n "$found" ] || found=$(/sbin/ldconfig -p | sed -n "s|^[[:space:]]*$1.* => ||p" | head -n 1) ;; esac
if [ -z "$found" ]; then
    echo "skipped: $1 is not installed"
    exit 77
fi
echo "$found"
unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS
MKL_THREADING_LAYER=${MKL_THREADING_LAYER:-GNU} OMP_NUM_THREADS=3 LD_PRELOAD=$found exec "$2" "$3"
