/* orrery gesvd: singular values and vectors of one large matrix from a file, or of random ones as a
 * benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/gesvd_case.h"
#include "src/cli/data/gesvj_data.h"

#define AT(field) .at = offsetof(struct gesvd_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the singular values: .npy, .txt or .csv", NULL,
     AT(values)},
    {"left", 'L', OPT_FILE, "FILE", "write U, columns, of shape (m, k)", NULL, AT(left)},
    {"right", 'R', OPT_FILE, "FILE", "write V (not V'), columns, of shape (n, k)", NULL, AT(right)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "columns, e.g. 1000,2000", NULL, AT(n), 0, MAX_SIDE},
    {"m", 0, OPT_SIZES, "SIZES", "rows (default: as many as columns)", NULL, AT(m), 0, MAX_SIDE},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILE", "s|d|c|z",
     AT(type)},
    {"kind", 0, OPT_CHOICE, "KIND", "gaussian, or geometric: values 1 to 1e-6", svd_kinds,
     AT(kind)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: gesvd, gesdd", "lapack", AT(ref),
     .libraries = 1},
    {.kind = OPT_INCLUDE, .include = single_options, AT(shape)},
    {"qr", 0, OPT_CHOICE, "WHEN", "QR first (default: if it is less work)", "auto|yes|no", AT(qr)},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

const cli_command cmd_gesvd = {
    .name = "gesvd",
    .aliases = "gesdd|svd",
    .summary = "singular values and vectors of one large matrix",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is a .npy array of shape (m, n), such an array x of an archive (a.npz:x), text (.txt,\n"
        ".csv: a row per line), a .mtx matrix (made dense), or - for .npy or text on standard input.\n"
        "The singular values are printed. A = U diag(s) V': s is descending, U is (m, k) and V is\n"
        "(n, k), k = min(m, n); NumPy's third result is V'. The matrix is reduced to a band and\n"
        "then to a bidiagonal matrix; LAPACK solves small ones. For batches of those there is gesvj.\n\n"
        "Without FILE and with --n it measures random matrices: a warm-up, then R runs (default 5),\n"
        "the references, each with its best number of threads, and gesvd in turn. Check figures are\n"
        "in units of max(m,n) eps |A| and fail above 20. Gflop/s count 4 l k^2 - 4/3 k^3 operations,\n"
        "l = max(m, n), with vectors 8 l k^2 - 4/3 k^3, four times that if complex.",
    .options = options,
    .examples = "orrery gesvd a.npy\n"
                "orrery gesvd a.npy --values s.npy --left u.npy --right v.npy --check\n"
                "orrery gesvd a.mtx --values s.npy --json - -v\n"
                "orrery gesvd --n 1000,2000 --type d --ref lapack --check\n",
    .run = family_run,
    .family = &gesvd_family,
};
