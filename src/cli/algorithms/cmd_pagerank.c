/* orrery pagerank: the scores of the nodes of a graph.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/pagerank_job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/ranks.h"

#define AT(field) .at = offsetof(struct pagerank_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Graph"},
    {"generate", 'g', OPT_TEXT, "NAME", "laplace3d:N, rmat:SCALE:DEGREE or sbm:N:K:DIN:DOUT", NULL,
     AT(source.generate)},
    {"kron", 0, OPT_FILE, "FILE", "its Kronecker product with this matrix", NULL, AT(source.kron)},
    {"unweighted", 0, OPT_FLAG, NULL, "all links count as 1", NULL, AT(unweighted)},
    {"reverse", 0, OPT_FLAG, NULL, "entry (i,j) is a link from j to i", NULL, AT(reverse)},
    {.kind = OPT_GROUP, .help = "Output"},
    {"top", 0, OPT_INT, "K", "print the K best nodes (default: 10)", NULL, AT(top), 0, 1000000},
    {"vectors", 'o', OPT_FILE, "FILE", "write the scores, (n,): .npy, .txt or .csv", NULL,
     AT(vectors)},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"alpha", 'a', OPT_REAL, "X", "damping factor (default: 0.85)", NULL, AT(alpha)},
    {"tol", 0, OPT_REAL, "X", "stop at |x' - x|_1 <= X (default: 1e-10; s: 1e-6)", NULL, AT(tol), 0,
     1, .above = 1},
    {"personal", 0, OPT_FILE, "FILE", "n weights of jumps to nodes: .npy, .txt or .csv", NULL,
     AT(personal)},
    {"dangling", 0, OPT_CHOICE, "RULE", "dead ends lead to: personal (default), uniform, none",
     "personal|uniform|none", AT(dangling)},
    {"max-steps", 0, OPT_INT, "N", "give up after N steps (default: 10000)", NULL, AT(max_steps),
     1},
    {"extrapolate", 0, OPT_CHOICE, "E", "every ten steps (default: if alpha is 0.9 or more)",
     "auto|yes|no", AT(extrapolate)},
    {"type", 't', OPT_CHOICE, "T", "s or d (default)", "auto|s|d", AT(type)},
    {"format", 'f', OPT_WORDS, "F", "storage (default: chosen)",
     "auto|crs|csr|bsr|ell|gpu-ell|sell|merge|tiles", AT(format)},
    {"order", 0, OPT_CHOICE, "O", "storage: by degree, as numbered (default: chosen)",
     "auto|none|degree", AT(order)},
    {"blocks", 0, OPT_INT, "B", "blocks of rows (default: by size and workers)", NULL, AT(blocks),
     1, 256},
    {"bench", 0, OPT_FLAG, NULL, "time of a step against the memory's own speed", NULL, AT(bench)},
    {"steps", 0, OPT_INT, "N", "least steps in a run of --bench (default: 20)", NULL, AT(steps), 1,
     100000},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

static int work(cli_job *job)
{
    const struct pagerank_args *a = job->args;
    return sparse_work(job, &a->source, pagerank_solve);
}

/* What --bench neither computes nor writes. */
#define OF_SCORES "dangling|extrapolate|max-steps|personal|tol|top|vectors"

static int usage(const char *message) { return cli_usage("pagerank", message); }

static int check(cli_job *job)
{
    struct pagerank_args *a = job->args;
    const cli_files *files = &job->files;
    if (files->n > 1 || (files->n == 0) == (a->source.generate == NULL))
        return usage("one FILE is needed, or --generate");
    if (!(a->alpha > 0 && a->alpha < 1))
        return usage("--alpha is not between 0 and 1");
    if (a->run.explain && (a->bench || cli_ranks() > 1))
        return usage("--explain plans a run by one rank, and no --bench");
    if (a->bench && cli_ranks() > 1)
        return usage("--bench measures one node: one rank only");
    if (cli_rank() > 0)
        a->vectors = NULL;
    if (a->run.sched.n > 1 || a->format.n > 1)
        return usage("--sched and --format take one value");
    int code = a->bench ? cli_spared(job, "pagerank", OF_SCORES, "with --bench")
                        : cli_spared(job, "pagerank", "steps", "without --bench");
    if (code == CLI_OK && files->n)
        code = cli_spared(job, "pagerank", "seed", "with a FILE, of which nothing is random");
    if (code != CLI_OK)
        return code;
    const char *const outputs[] = {a->vectors}, *const read[] = {a->source.kron, a->personal};
    job->to_stdout = cli_count_stdout(outputs, 1);
    a->source.file = files->n ? files->v[0] : NULL;
    return sparse_outputs_check(outputs, 1, files, read, 2);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct pagerank_args args = {.run = cli_run_defaults(), .alpha = 0.85, .top = 10};
    cli_job job = {
        .args = &args, .run = &args.run, .check = check, .work = work, .own_table = 1, .ranks = 1};
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_pagerank = {
    .name = "pagerank",
    .aliases = NULL,
    .summary = "PageRank of the nodes of a graph, with an error bound",
    .synopsis = "[options] [FILE]",
    .files = "mtx|mtx.gz|txt|txt.gz|tsv|edges|npz",
    .about =
        "Entry (i,j) of a Matrix Market FILE or an archive of scipy.sparse (.npz), or a line\n"
        "\"i j [weight]\" of an edge list (.txt, .tsv, .edges), is a link from i to j. Nodes\n"
        "count from 1 in the first, from 0 in the others. Text may be compressed (.gz). Values\n"
        "are weights unless --unweighted.\n"
        "A number that no link has is a node too, without links, and changes every score.\n\n"
        "The iteration stops when a step changes the scores by at most --tol in the sum of\n"
        "absolute values. The bound that is printed, alpha/(1-alpha) times the last change, says how\n"
        "far the scores can be from the exact ones. Node numbers are printed as the file has them.",
    .options = options,
    .examples = "orrery pagerank web.mtx.gz --top 10\n"
                "orrery pagerank links.txt --alpha 0.9 --tol 1e-12 --vectors x.npy\n"
                "orrery pagerank --generate rmat:22:16 --bench",
    .run = run,
};
