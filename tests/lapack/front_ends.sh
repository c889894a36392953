#!/usr/bin/env bash
# Octave's svd and eig and R's eigen and svd with the preloaded library: what it takes over gives the
# results that they have without it, and the decompositions fit. Either may be absent.
#   front_ends.sh SHIM octave|r
# SPDX-License-Identifier: BSD-3-Clause
shim=$(realpath "$1") failures=0
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 STARPU_SILENT=1
dir=$(mktemp -d "${TMPDIR:-/tmp}/orrery-front.XXXXXX") && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

case $2 in
octave)
    program=(octave-cli --no-gui --norc --quiet program.m) taken='dgesvd_ zgesvd_ dsyev_ zheev_'
    cat >program.m <<'END'
rand('twister', 1); a = rand(150, 90) - 0.5; z = a + i * (rand(150, 90) - 0.5);
function put(x), printf('%.17g\n', x); end
for m = {a, z, a(1:80, 1:80)}
    x = m{1}; [u, s, v] = svd(x, 'econ'); put(diag(s));
    printf('fits %d\n', norm(u * s * v' - x) < 1e-12 * norm(x) && norm(u' * u - eye(columns(u))) < 1e-12);
    h = x' * x; h = (h + h') / 2; [q, d] = eig(h); put(diag(d)); put(eig(h));
    printf('fits %d\n', norm(h * q - q * d) < 1e-12 * norm(h) && norm(q' * q - eye(columns(q))) < 1e-12);
end
END
    ;;
r)
    program=(Rscript --vanilla program.R) taken='dsyevr_ dgesdd_ zheev_'
    cat >program.R <<'END'
put <- function(x) cat(sprintf("%.17g\n", x), sep = "")
set.seed(1); x <- matrix(rnorm(150 * 90), 150); h <- cov(x)
e <- eigen(h); put(e$values); put(eigen(h, only.values = TRUE)$values)
cat("fits", as.integer(max(abs(h %*% e$vectors - e$vectors %*% diag(e$values))) < 1e-12), "\n")
s <- svd(x); put(s$d); cat("fits", as.integer(max(abs(s$u %*% diag(s$d) %*% t(s$v) - x)) < 1e-12), "\n")
z <- matrix(complex(real = rnorm(3600), imaginary = rnorm(3600)), 60); z <- z + Conj(t(z))
e <- eigen(z); put(e$values)
cat("fits", as.integer(max(Mod(z %*% e$vectors - e$vectors %*% diag(e$values))) < 1e-11), "\n")
END
    ;;
*) echo "octave or r?"; exit 2 ;;
esac
command -v "${program[0]}" >/dev/null || { echo "no ${program[0]} here: apt-get install --no-install-recommends octave r-base-core"; exit 77; }

"${program[@]}" >plain 2>plain.err || { fail "it fails by itself"; cat plain.err; }
ORRERY_LAPACK_MIN=1 ORRERY_LAPACK_LOG=1 LD_LIBRARY_PATH=${shim%/*} LD_PRELOAD=${shim##*/} "${program[@]}" >ours 2>ours.err || { fail "it fails"; tail -n 5 ours.err; }
for name in $taken; do grep -q "^orrery: $name.*taken over" ours.err || fail "$name was not taken over"; done
grep -q '^fits 1' ours && ! grep -q '^fits 0' plain ours || fail "a decomposition does not fit"
[[ $(wc -l <ours) == $(wc -l <plain) && $(wc -l <plain) -gt 100 ]] || fail "$(wc -l <ours) lines, not $(wc -l <plain)"
paste plain ours | awk '$1 == "fits" { next }
    { d = $1 - $2; d = d < 0 ? -d : d; if (!(d <= 1e-11 * (1 + ($1 < 0 ? -$1 : $1)))) { print "FAIL: " $1 " and " $2; bad = 1 } }
    END { exit bad }' || failures=$((failures + 1))
[[ $failures == 0 ]] && echo "$(grep -c 'taken over' ours.err) calls taken over"
exit $((failures > 0))
