/* A machine as StarPU's own files describe it (node.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/core/options.h"

enum { LINE = 65536 }; /* of a matrix with StarPU's most memory nodes */

static int unreadable(const char *path)
{
    cli_say("%s: cannot read: %s", path, strerror(errno));
    return CLI_FILE;
}

static int missing(const char *path)
{
    cli_say("%s: cannot open: %s", path, strerror(errno));
    return CLI_FILE;
}

/* ---- Where --------------------------------------------------------------------------------- */

int node_find_starpu(const char *name, char *path, size_t room)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"STARPU_PERF_MODEL_DIR", "/bus"},
                  {"STARPU_HOME", "/.starpu/sampling/bus"},
                  {"HOME", "/.starpu/sampling/bus"},
                  {NULL, "/usr/local/share/starpu/perfmodels/sampling/bus"},
                  {NULL, "/usr/share/starpu/perfmodels/sampling/bus"}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const char *above = places[k].variable ? getenv(places[k].variable) : "";
        if (above &&
            snprintf(path, room, "%s%s/%s.config", above, places[k].below, name) < (int)room &&
            access(path, R_OK) == 0)
            return 1;
    }
    return 0;
}

/* ---- What ---------------------------------------------------------------------------------- */

/* NAME.config: lines "12 # Number of CPUs". */
static int read_config(const char *path, double *cpus, double *gpus)
{
    char line[256];
    int number, found = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return missing(path);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%d", &number) != 1)
            continue;
        if (strstr(line, "CPUs"))
            *cpus = number, found |= 1;
        else if (strstr(line, "CUDA"))
            *gpus = number, found |= 2;
    }
    const int bad = ferror(f) ? unreadable(path) : CLI_OK;
    fclose(f);
    if (bad)
        return bad;
    if (found == 3)
        return CLI_OK;
    cli_say("%s: no lines 'N # Number of CPUs' and 'N # Number of CUDA devices'", path);
    return CLI_FILE;
}

/* The least of the first row and the first column of a matrix with a line of comment, nodes 1 .. gpus. */
static int read_matrix(const char *path, int gpus, int largest, double *value)
{
    char *line = malloc(LINE);
    FILE *f = line ? fopen(path, "r") : NULL;
    int row = 0, bad = 0;
    double worst = largest ? 0 : INFINITY;
    if (!f) {
        free(line);
        return missing(path);
    }
    while (!bad && row <= gpus && fgets(line, LINE, f)) {
        char *at = line, *end;
        if (*line == '#')
            continue;
        for (int k = 0; !bad && k <= (row ? 0 : gpus); k++, at = end) {
            const double x = strtod(at, &end);
            bad = end == at || (row != k && !(x > 0));
            if (row != k)
                worst = largest ? fmax(worst, x) : fmin(worst, x);
        }
        row++;
    }
    const int failed = ferror(f) ? unreadable(path) : CLI_OK;
    fclose(f);
    free(line);
    *value = worst;
    if (failed)
        return failed;
    if (!bad && row > gpus)
        return CLI_OK;
    cli_say("%s: not a matrix of positive numbers for %d device%s", path, gpus, cli_plural(gpus));
    return CLI_FILE;
}

/* The least `memsize` of a CUDA device, and what link "Host" carries. */
static int read_platform(const char *path, double *memory, double *total)
{
    char line[1024];
    int device = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return missing(path);
    *memory = *total = INFINITY;
    while (fgets(line, sizeof line, f)) {
        const char *size = strstr(line, "\"memsize\" value=\""),
                   *link = strstr(line, "<link id=\"Host\"");
        const char *bandwidth = link ? strstr(link, "bandwidth=\"") : NULL;
        if (strstr(line, "<host id="))
            device = strstr(line, "id=\"CUDA") != NULL;
        if (device && size)
            *memory = fmin(*memory, atof(size + strlen("\"memsize\" value=\"")));
        if (bandwidth)
            *total = atof(bandwidth + strlen("bandwidth=\""));
    }
    const int code = ferror(f) ? unreadable(path) : CLI_OK;
    fclose(f);
    return code;
}

static void set(node *n, int key, double value, node_mark mark)
{
    n->v[key] = (node_value){value, mark, 1};
}

/* "DIR/bus/NAME.config": the name, and "DIR/bus/NAME". */
static int take_name(node *n, const char *config)
{
    const char *slash = strrchr(config, '/'), *name = slash ? slash + 1 : config;
    const size_t length = strlen(name) - strlen(".config");
    char real[sizeof n->sampled];
    if (length == 0 || length >= sizeof n->name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") !=
            strlen(name)) {
        cli_say("%s: the name of a machine has letters, digits, '.', - and _ only", config);
        return CLI_FILE;
    }
    snprintf(n->name, sizeof n->name, "%.*s", (int)length, name);
    if (!realpath(config, real))
        return missing(config);
    real[strlen(real) - strlen(".config")] = '\0';
    snprintf(n->sampled, sizeof n->sampled, "%s", real);
    return CLI_OK;
}

int node_read_starpu(node *n, const char *config)
{
    char path[sizeof n->sampled + 32];
    double cpus = 0, gpus = 0, bandwidth = 0, latency = 0, memory = 0, total = 0;
    *n = (node){.name = ""};
    int code = take_name(n, config);
    if (code == CLI_OK)
        code = read_config(config, &cpus, &gpus);
    if (code != CLI_OK)
        return code;
    set(n, NODE_CPU_CORES, cpus, NODE_MEASURED);
    set(n, NODE_CPU_SPEED, 1, NODE_ASSUMED); /* the graph's times are this machine's */
    set(n, NODE_OVERHEAD, 0, NODE_ASSUMED);
    set(n, NODE_GPU_COUNT, gpus, NODE_MEASURED);
    snprintf(path, sizeof path, "%s.platform.v4.xml", n->sampled);
    code = read_platform(path, &memory, &total);
    if (code != CLI_OK || gpus == 0)
        return code;
    snprintf(path, sizeof path, "%s.bandwidth", n->sampled);
    code = read_matrix(path, (int)gpus, 0, &bandwidth);
    if (code == CLI_OK) {
        snprintf(path, sizeof path, "%s.latency", n->sampled);
        code = read_matrix(path, (int)gpus, 1, &latency);
    }
    if (code != CLI_OK)
        return code;
    if (!isfinite(memory)) {
        cli_say("%s.platform.v4.xml: no CUDA device has a memsize", n->sampled);
        return CLI_FILE;
    }
    set(n, NODE_GPU_MEMORY, memory, NODE_MEASURED);
    set(n, NODE_HOST_BANDWIDTH, bandwidth * 1e6, NODE_MEASURED);
    set(n, NODE_HOST_LATENCY, latency * 1e-6, NODE_MEASURED);
    set(n, NODE_HOST_TOTAL, isfinite(total) ? total : bandwidth * 1e6, NODE_MEASURED);
    return CLI_OK;
}

int node_lend_bus(const node *n, const char *dir)
{
    static const char *const suffix[] = {"bandwidth", "latency", "platform.v4.xml", "config",
                                         "affinity"};
    char from[sizeof n->sampled + 32], to[sizeof n->sampled + 32];
    for (size_t k = 0; k < sizeof suffix / sizeof *suffix; k++) {
        snprintf(from, sizeof from, "%s.%s", n->sampled, suffix[k]);
        snprintf(to, sizeof to, "%s/bus/%s.%s", dir, n->name, suffix[k]);
        if (access(from, R_OK) == 0 && symlink(from, to) != 0 && errno != EEXIST) {
            cli_say("%s: %s", to, strerror(errno));
            return CLI_FILE;
        }
    }
    return CLI_OK;
}
