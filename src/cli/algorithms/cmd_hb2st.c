/* orrery hb2st: the tridiagonal form of a Hermitian band matrix from a file, or of random
 * bands as a benchmark (--n, --band).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/hb2st_case.h"

#define AT(field) .at = offsetof(struct hb2st_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the eigenvalues, and print them, not T", NULL,
     AT(values)},
    {"diag", 'd', OPT_FILE, "FILE", "write the diagonal of T: .npy, .txt or .csv", NULL, AT(diag)},
    {"offdiag", 'e', OPT_FILE, "FILE", "write the off-diagonal of T", NULL, AT(offdiag)},
    {"q", 0, OPT_FILE, "FILE", "write Q, A = Q T Q', of shape (n, n)", NULL, AT(q)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(band.run)},
    {.kind = OPT_INCLUDE, .include = hermitian_options, AT(band.hermitian)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 2048,4096", NULL, AT(band.n), 0, INT32_MAX},
    {"band", 'b', OPT_SIZES, "SIZES", "bandwidths (default: 32 or n-1), the most for FILE", NULL,
     AT(band.band), 0, INT32_MAX},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d)", "s|d|c|z", AT(type)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: sbtrd, sb2st", "lapack", AT(ref),
     .libraries = 1},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "T only (default), or Q too", "N|V", AT(jobz)},
    {"columns", 0, OPT_SIZES, "D", "columns of a block of the band (default: chosen)", NULL, AT(D),
     1, INT32_MAX},
    {"sweeps", 0, OPT_SIZES, "G", "sweeps of a task (default: chosen)", NULL, AT(G), 1, INT32_MAX},
    {"tail", 0, OPT_INT, "N", "how many of the last sweeps use blocks of D/2", NULL, AT(tail), 0,
     INT32_MAX},
    {"place", 0, OPT_CHOICE, "P", "auto (default), cpu, gpu, split: part on a GPU",
     "auto|cpu|gpu|split", AT(place)},
    {"split", 0, OPT_INT, "N", "the GPU's columns, --place split (default: chosen)", NULL,
     AT(split), 1, INT32_MAX},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(band.run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(band.run)},
    {.kind = OPT_END},
};

const cli_command cmd_hb2st = {
    .name = "hb2st",
    .aliases = "sbtrd|hbtrd|sb2st",
    .summary = "Hermitian band matrix to real tridiagonal form, T = Q'A Q",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about = HERMITIAN_BAND_FILE
    "reverse Cuthill-McKee order if that makes the band narrower; Q is then written for the\n"
    "file's own order. Where a .mtx file has both triangles they must agree but for rounding,\n"
    "or --uplo chooses one, or --symmetrize takes the mean. The command prints T: diagonal and\n"
    "off-diagonal side by side; the last line has the diagonal alone.\n\n"
    "Without FILE and with --n it measures random bands: a warm-up, then R runs (default 5),\n"
    "peers and hb2st in turn, each peer with the number of threads that suits it. Gflop/s count\n"
    "6 n^2 b operations, and 4/3 n^3 more with Q; four times that if complex. --check\n"
    "compares eigenvalues of T with LAPACK's of the band and, with Q, verifies residual and\n"
    "orthogonality; the figures are in units of n eps |A| and fail above 20.",
    .options = options,
    .examples = "orrery hb2st band.npy\n"
                "orrery hb2st band.npy --diag d.npy --offdiag e.npy --q q.npy --check\n"
                "orrery hb2st bcsstk13.mtx --diag d.npy --offdiag e.npy -v\n"
                "orrery hb2st --n 4096 --band 32,64 --type d,z --ref lapack",
    .run = family_run,
    .family = &hb2st_family,
};
