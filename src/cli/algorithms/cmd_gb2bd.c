/* orrery gb2bd: the bidiagonal form of a band matrix from a file, or of random bands as a
 * benchmark (--n, --band).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/gb2bd_case.h"

#define AT(field) .at = offsetof(struct gb2bd_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the singular values, and print them, not B", NULL,
     AT(values)},
    {"diag", 'd', OPT_FILE, "FILE", "write the diagonal of B: .npy, .txt or .csv", NULL, AT(diag)},
    {"offdiag", 'e', OPT_FILE, "FILE", "write the superdiagonal of B", NULL, AT(offdiag)},
    {"left", 'L', OPT_FILE, "FILE", "write U, A = U B V', of shape (m, min(m,n))", NULL, AT(left)},
    {"right", 'R', OPT_FILE, "FILE", "write V, of shape (n, min(m,n))", NULL, AT(right)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {"kl", 0, OPT_INT, "K", "subdiagonals among the FILE's rows (default: 0)", NULL, AT(kl), 0,
     INT32_MAX},
    {"m", 0, OPT_INT, "M", "rows of the matrix (default: as many as columns)", NULL, AT(m), 0,
     INT32_MAX},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 2048,4096", NULL, AT(n), 0, INT32_MAX},
    {"band", 'b', OPT_SIZES, "SIZES", "superdiagonals (default: 32)", NULL, AT(band), 0, 512},
    {"type", 't', OPT_WORDS, "TYPES", "of h,s,d,c,z (default: d)", "h|s|d|c|z", AT(type)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: gbbrd", "lapack", AT(ref), .libraries = 1},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "B only (default), or U and V too", "N|V", AT(jobz)},
    {"tw", 0, OPT_SIZES, "W", "diagonals peeled per stage (default: chosen)", NULL, AT(tw), 0, 512},
    {"rows", 0, OPT_SIZES, "D", "rows of a block of the band (default: chosen)", NULL, AT(rows), 0,
     INT32_MAX},
    {"sweeps", 0, OPT_INT, "G", "sweeps in a task, at most", NULL, AT(sweeps), 1, INT32_MAX},
    {"max-blocks", 0, OPT_INT, "K", "groups of sweeps under way at once, at most", NULL,
     AT(max_blocks), 1, INT32_MAX},
    {"place", 0, OPT_CHOICE, "P", "auto (default), cpu, gpu, split: part on a GPU",
     "auto|cpu|gpu|split", AT(place)},
    {"split", 0, OPT_INT, "N", "the GPU's rows, --place split (default: chosen)", NULL, AT(split),
     1, INT32_MAX},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

const cli_command cmd_gb2bd = {
    .name = "gb2bd",
    .aliases = "gbbrd|tb2bd",
    .summary = "band matrix to upper bidiagonal form with the same singular values",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is an array of shape (kl+ku+1, n), .npy, .npz or text (.txt, .csv), with A[i,j] in row\n"
        "ku+i-j, column j, or - for standard input; without --kl all rows are the main diagonal and\n"
        "what is above it. Or it is a sparse .mtx matrix; a square one is put into reverse\n"
        "Cuthill-McKee order (rows and columns alike) if that makes the band narrower, and U and V are\n"
        "written for the file's own order. The command prints the diagonal and superdiagonal of B,\n"
        "A = U B V', side by side; the last line has the diagonal alone. They are real; all results\n"
        "are in single precision if A is in half precision. kl + ku is at most 512.\n\n"
        "Without FILE and with --n the command measures random bands: a warm-up, then R runs (default 5),\n"
        "reference and gb2bd in turn. --check compares singular values with LAPACK's (gbbrd and\n"
        "bdsqr in double precision) and, with U and V, verifies residual and orthogonality; the\n"
        "figures are in units of n eps |A| and fail above 20. Gflop/s count 8 n^2 b operations,\n"
        "and 4/3 n^3 more each for U and V; four times that if complex. LAPACK computes\n"
        "no vectors.",
    .options = options,
    .examples = "orrery gb2bd band.npy\n"
                "orrery gb2bd band.npy --diag d.npy --offdiag e.npy --check\n"
                "orrery gb2bd matrix.mtx --left u.npy --right v.npy --check -v\n"
                "orrery gb2bd --n 2048,4096 --band 32,64 --type h,s,d --ref lapack",
    .run = family_run,
    .family = &gb2bd_family,
};
