/* orrery powm: principal and extreme eigenpairs of a sparse matrix; with --compare the storage
 * formats side by side.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/powm_job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/ranks.h"

enum { MOST_PAIRS = 390 };

#define AT(field) .at = offsetof(struct powm_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Matrix"},
    {"generate", 'g', OPT_TEXT, "NAME", "laplace3d:N, rmat:SCALE:DEGREE or sbm:N:K:DIN:DOUT", NULL,
     AT(source.generate)},
    {"kron", 0, OPT_FILE, "FILE", "its Kronecker product with this matrix", NULL, AT(source.kron)},
    {"type", 't', OPT_CHOICE, "T", "s, d, c or z (default: d, z if complex)", "auto|s|d|c|z",
     AT(type)},
    {"transpose", 0, OPT_FLAG, NULL, "the transposed matrix (left eigenvectors)", NULL,
     AT(transpose)},
    {"unweighted", 0, OPT_FLAG, NULL, "all entries count as 1", NULL, AT(unweighted)},
    {.kind = OPT_GROUP, .help = "Output"},
    {"values", 'w', OPT_FILE, "FILE", "write eigenvalues, (k,): .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (n, k)", NULL, AT(vectors)},
    {"all", 0, OPT_FLAG, NULL, "print all eigenpairs, however many", NULL, AT(run.all)},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"k", 'k', OPT_INT, "K", "eigenpairs (default: 1)", NULL, AT(k), 1, MOST_PAIRS},
    {"which", 0, OPT_CHOICE, "W", "LM largest modulus, LA largest, SA smallest (LM)", "LM|LA|SA",
     AT(which)},
    {"method", 'm', OPT_CHOICE, "M", "power, ritz or krylov (default)", "auto|power|ritz|krylov",
     AT(method)},
    {"singular", 0, OPT_FLAG, NULL, "principal singular values and right vectors", NULL,
     AT(singular)},
    {"tol", 0, OPT_REAL, "X", "relative residual (default: 1e-10; s and c: 1e-4)", NULL, AT(tol), 0,
     1, .above = 1},
    {"max-products", 0, OPT_INT, "N", "give up after N products (default: 20000)", NULL,
     AT(max_products), 1},
    {"basis", 0, OPT_INT, "M", "vectors krylov keeps (default: 2K + 8, 20 at least)", NULL,
     AT(basis), 1, 400},
    {"format", 'f', OPT_WORDS, "F", "storage; several with --compare (default: chosen)",
     "auto|crs|csr|bsr|ell|gpu-ell|sell|merge|tiles", AT(format)},
    {"blocks", 0, OPT_INT, "B", "blocks of rows (default: by size and workers)", NULL, AT(blocks),
     1, 256},
    {"full", 0, OPT_FLAG, NULL, "store all values in full width", NULL, AT(full)},
    {"compare", 0, OPT_FLAG, NULL, "time power iteration in each storage format", NULL,
     AT(compare)},
    {"steps", 0, OPT_INT, "N", "least steps in a run of --compare (default: 20)", NULL, AT(steps),
     1, 100000},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

static int work(cli_job *job)
{
    const struct powm_args *a = job->args;
    return sparse_work(job, &a->source, a->compare ? powm_compare : powm_solve);
}

static int usage(const char *message) { return cli_usage("powm", message); }

static int check(cli_job *job)
{
    struct powm_args *a = job->args;
    const cli_files *files = &job->files;
    if (files->n > 1 || (files->n == 0) == (a->source.generate == NULL))
        return usage("one FILE is needed, or --generate");
    if (a->compare && (a->values || a->vectors || a->singular || a->k > 1))
        return usage("--compare times power iteration: no --values, --vectors, --singular or --k");
    if (!a->compare && a->format.n > 1)
        return usage("several formats need --compare");
    if (a->run.sched.n > 1)
        return usage("--sched takes one policy");
    const int one = a->method == ORR_POWM_METHOD_POWER || a->method == ORR_POWM_METHOD_RITZ;
    if (one && a->singular)
        return usage("power and ritz find no singular values; --method krylov does");
    if (one && a->k > 1)
        return usage("power and ritz find one eigenvalue; --method krylov finds more");
    if (one && a->which != ORR_POWM_LM)
        return usage(
            "power and ritz find the eigenvalue of largest modulus; --method krylov finds others");
    if (a->singular && a->which != ORR_POWM_LM)
        return usage("of singular values only the largest are found: no --which with --singular");
    if (a->run.explain && (a->compare || cli_ranks() > 1))
        return usage("--explain plans a run by one rank, and no --compare");
    if (a->compare && cli_ranks() > 1)
        return usage("--compare measures one node: one rank only");
    const int code = a->compare ? cli_spared(job, "powm", "all|basis|max-products|method|tol|which",
                                             "with --compare")
                                : cli_spared(job, "powm", "steps", "without --compare");
    if (code != CLI_OK)
        return code;
    if (cli_rank() > 0)
        a->values = a->vectors = NULL;
    const char *const outputs[] = {a->values, a->vectors}, *const read[] = {a->source.kron};
    job->to_stdout = cli_count_stdout(outputs, 2);
    a->source.file = files->n ? files->v[0] : NULL;
    return sparse_outputs_check(outputs, 2, files, read, 1);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct powm_args args = {.run = cli_run_defaults()};
    cli_job job = {
        .args = &args, .run = &args.run, .check = check, .work = work, .own_table = 1, .ranks = 1};
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_powm = {
    .name = "powm",
    .aliases = NULL,
    .summary = "principal or extreme eigenpairs of a sparse matrix",
    .synopsis = "[options] [FILE]",
    .files = "mtx|mtx.gz|txt|txt.gz|tsv|edges|npz",
    .about =
        "FILE is a Matrix Market file (.mtx), an edge list (.txt, .tsv, .edges: lines \"from to\n"
        "[weight]\", nodes from 0), each also with .gz, or an archive of scipy.sparse (.npz).\n"
        "Symmetric files are expanded, duplicates summed, stored zeros dropped. Each pair is\n"
        "printed with its true residual |Av - lambda v| / |lambda| and, where there is one, an\n"
        "interval that certainly contains an eigenvalue.\n\n"
        "--which LA and SA find the largest and the smallest eigenvalues, such as the lowest\n"
        "levels of a Hamiltonian; of a matrix that is not Hermitian by their real part. Their\n"
        "residuals are relative to the largest modulus that the iteration saw, since a wanted\n"
        "value may be 0.\n\n"
        "power needs the least memory and finds one simple eigenvalue; ritz also finds pairs\n"
        "+-lambda and complex ones; krylov needs the fewest products. The exit code is 4 if a\n"
        "pair is not as good as --tol.\n\n"
        "--compare measures the time of a step of power iteration in each format against the\n"
        "memory's own speed (a := b + 3c, in the same run); bytes are those of the matrix as\n"
        "stored, x once and y once.",
    .options = options,
    .examples = "orrery powm A.mtx --k 4 --values l.npy --vectors x.npy\n"
                "orrery powm H.mtx --k 3 --which SA\n"
                "orrery powm A.mtx.gz --method power\n"
                "orrery powm --generate laplace3d:144 --format crs,ell,sell --compare\n"
                "orrery powm lp.mtx --singular",
    .run = run,
};
