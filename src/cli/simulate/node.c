/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/options.h"

const char *const node_mark_name[3] = {"measured", "derived", "assumed"};

/* Whom a value concerns, and what it may be. */
enum { FOR_CPU = 1, FOR_GPU = 2, COST = 4, OPTIONAL = 8 }; /* 0 if it is not given */
static const struct {
    const char *key;
    int use;
    double min, max;
} keys[NODE_VALUES] = {
    [NODE_CPU_CORES] = {"cpu.cores", FOR_CPU | COST, 1, 64},
    [NODE_CPU_SPEED] = {"cpu.speed", FOR_CPU | COST, 1e-3, 1e3},
    [NODE_CPU_FLOPS_S] = {"cpu.flops.s", FOR_GPU | COST, 1e6, 1e18},
    [NODE_CPU_FLOPS_D] = {"cpu.flops.d", FOR_GPU | COST, 1e6, 1e18},
    [NODE_OVERHEAD] = {"task.overhead", FOR_CPU | COST, 0, 1},
    [NODE_DATA_OVERHEAD] = {"data.overhead", FOR_CPU | COST | OPTIONAL, 0, 1},
    [NODE_SUBMIT] = {"task.submit", FOR_CPU | COST | OPTIONAL, 0, 1},
    [NODE_GPU_COUNT] = {"gpu.count", FOR_GPU, 0, 8},
    [NODE_GPU_MEMORY] = {"gpu.memory", FOR_GPU | COST, 1e6, 1e18},
    [NODE_GPU_FLOPS_S] = {"gpu.flops.s", FOR_GPU | COST, 1e6, 1e18},
    [NODE_GPU_FLOPS_D] = {"gpu.flops.d", FOR_GPU | COST, 1e6, 1e18},
    [NODE_GPU_EFFICIENCY] = {"gpu.efficiency", FOR_GPU | COST, 1e-6, 1},
    [NODE_GPU_BANDWIDTH] = {"gpu.bandwidth", FOR_GPU | COST, 1e6, 1e18},
    [NODE_GPU_LAUNCH] = {"gpu.launch", FOR_GPU | COST, 0, 1},
    [NODE_HOST_BANDWIDTH] = {"link.host.bandwidth", FOR_GPU | COST, 1e6, 1e15},
    [NODE_HOST_LATENCY] = {"link.host.latency", FOR_GPU | COST, 0, 1},
    [NODE_HOST_TOTAL] = {"link.host.total", FOR_GPU | COST, 1e6, 1e15},
    [NODE_PEER_BANDWIDTH] = {"link.peer.bandwidth", FOR_GPU, 0, 1e15},
    [NODE_PEER_LATENCY] = {"link.peer.latency", FOR_GPU, 0, 1},
};

const char *node_key(int k) { return keys[k].key; }
int node_is_cost(int k) { return (keys[k].use & COST) != 0; }
int node_is_for_cpus(int k) { return (keys[k].use & FOR_CPU) != 0; }

/* ---- Reading ---------------------------------------------------------------------------- */

static int unknown_key(const char *path, int line, const char *key)
{
    char all[1024] = "format|name";
    cli_guess_text guess;
    for (int k = 0; k < NODE_VALUES; k++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "|%s", keys[k].key);
    }
    cli_say("%s:%d: unknown key '%s'%s", path, line, key, cli_guess(key, all, guess));
    return CLI_FILE;
}

static int read_value(node *n, const char *path, int line, int k, const char *text,
                      const char *mark)
{
    char *end;
    const double x = strtod(text, &end);
    int m = 0;
    while (m < 3 && strcmp(mark, node_mark_name[m]))
        m++;
    if (n->v[k].line) {
        cli_say("%s:%d: %s was given in line %d already", path, line, keys[k].key, n->v[k].line);
        return CLI_FILE;
    }
    if (end == text || *end || !(x >= keys[k].min && x <= keys[k].max)) {
        cli_say("%s:%d: %s: '%s' is not a number from %g to %g", path, line, keys[k].key, text,
                keys[k].min, keys[k].max);
        return CLI_FILE;
    }
    if (m == 3) {
        cli_say("%s:%d: %s: '%s' is not measured, derived or assumed; say where the value comes "
                "from",
                path, line, keys[k].key, mark);
        return CLI_FILE;
    }
    n->v[k] = (node_value){x, (node_mark)m, line};
    return CLI_OK;
}

static int read_line(node *n, const char *path, int line, char *text)
{
    char key[64] = "", value[64] = "", mark[64] = "";
    text[strcspn(text, "#\n")] = '\0';
    if (!text[strspn(text, " \t\r")])
        return CLI_OK;
    if (sscanf(text, " %63[^= \t] = %63s %63s", key, value, mark) < 2) {
        cli_say("%s:%d: expected: key = value mark", path, line);
        return CLI_FILE;
    }
    if (!strcmp(key, "format")) {
        if (!strcmp(value, "1"))
            return CLI_OK;
        cli_say("%s:%d: format %s is not known, 1 is", path, line, value);
        return CLI_FILE;
    }
    if (!strcmp(key, "name")) {
        if (value[strspn(value,
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")]) {
            cli_say("%s:%d: name: letters, digits, - and _ only", path, line);
            return CLI_FILE;
        }
        strcpy(n->name, value);
        return CLI_OK;
    }
    for (int k = 0; k < NODE_VALUES; k++)
        if (!strcmp(key, keys[k].key))
            return read_value(n, path, line, k, value, mark);
    return unknown_key(path, line, key);
}

int node_read(node *n, const char *path)
{
    char text[1024];
    int code = CLI_OK, line = 0;
    FILE *f = fopen(path, "r");
    *n = (node){.name = ""};
    if (!f) {
        cli_say("%s: cannot open: %s", path, strerror(errno));
        return CLI_FILE;
    }
    while (code == CLI_OK && fgets(text, sizeof text, f))
        code = read_line(n, path, ++line, text);
    if (code == CLI_OK && ferror(f)) {
        cli_say("%s: %s", path, strerror(errno));
        code = CLI_FILE;
    }
    fclose(f);
    const int gpus = n->v[NODE_GPU_COUNT].value > 0;
    for (int k = 0; code == CLI_OK && k < NODE_VALUES; k++)
        if (!n->v[k].line && !(keys[k].use & OPTIONAL) && (gpus || keys[k].use & FOR_CPU)) {
            cli_say("%s: %s is missing", path, keys[k].key);
            code = CLI_FILE;
        }
    if (code == CLI_OK && !n->name[0]) {
        cli_say("%s: name is missing", path);
        code = CLI_FILE;
    }
    return code;
}

void node_put_json(cli_text *t, const node *n)
{
    int count = 0;
    cli_put(t, "{\"name\":\"%s\",\"values\":{", n->name);
    for (int k = 0; k < NODE_VALUES; k++)
        if (n->v[k].line)
            cli_put(t, "%s\"%s\":{\"value\":%.9g,\"mark\":\"%s\"}", count++ ? "," : "", keys[k].key,
                    n->v[k].value, node_mark_name[n->v[k].mark]);
    cli_put(t, "}}");
}

/* ---- StarPU's files ----------------------------------------------------------------------- */

/* Memory nodes are 0, main memory, and 1.. the devices. 0: the way leads through node 0. */
static double pair(const node *n, int from, int to, int host, int peer)
{
    if (from == to)
        return 0;
    if (from && to && n->v[NODE_PEER_BANDWIDTH].value > 0)
        return n->v[peer].value;
    return n->v[host].value * (from && to && host == NODE_HOST_LATENCY ? 2 : 1);
}

/* StarPU takes a number when it has seen another behind it, and a row when another follows. */
static void put_matrix(cli_text *t, const node *n, int gpus, int host, int peer, double unit)
{
    cli_put(t, "# row: from, column: to\n");
    for (int i = 0; i <= gpus; i++) {
        for (int j = 0; j <= gpus; j++)
            cli_put(t, "%.9g\t", pair(n, i, j, host, peer) * unit);
        cli_put(t, "nan\n");
    }
    for (int j = 0; j <= gpus; j++)
        cli_put(t, "nan\t");
    cli_put(t, "nan\n");
}

/* A device has a link up to the host and one down, and all of them share the host's total; with
 * peer links it has one out and one in for its peers. */
static void put_links(cli_text *t, const node *n, int gpus)
{
    const double latency = n->v[NODE_HOST_LATENCY].value;
    cli_put(t, "<link id=\"Host\" bandwidth=\"%.0fBps\" latency=\"0s\"/>\n",
            gpus ? n->v[NODE_HOST_TOTAL].value : 1e9);
    for (int i = 0; i < gpus; i++) {
        cli_put(t,
                "<link id=\"RAM-CUDA%d\" bandwidth=\"%.0fBps\" latency=\"%.9fs\"/>\n"
                "<link id=\"CUDA%d-RAM\" bandwidth=\"%.0fBps\" latency=\"%.9fs\"/>\n",
                i, n->v[NODE_HOST_BANDWIDTH].value, latency, i, n->v[NODE_HOST_BANDWIDTH].value,
                latency);
        if (n->v[NODE_PEER_BANDWIDTH].value > 0)
            cli_put(t,
                    "<link id=\"out%d\" bandwidth=\"%.0fBps\" latency=\"%.9fs\"/>\n"
                    "<link id=\"in%d\" bandwidth=\"%.0fBps\" latency=\"0s\"/>\n",
                    i, n->v[NODE_PEER_BANDWIDTH].value, n->v[NODE_PEER_LATENCY].value, i,
                    n->v[NODE_PEER_BANDWIDTH].value);
    }
}

static void put_routes(cli_text *t, const node *n, int gpus)
{
    const int peers = n->v[NODE_PEER_BANDWIDTH].value > 0;
    for (int i = 0; i < gpus; i++) {
        cli_put(t,
                "<route src=\"RAM\" dst=\"CUDA%d\" symmetrical=\"NO\"><link_ctn id=\"RAM-CUDA%d\"/>"
                "<link_ctn id=\"Host\"/></route>\n"
                "<route src=\"CUDA%d\" dst=\"RAM\" symmetrical=\"NO\"><link_ctn id=\"CUDA%d-RAM\"/>"
                "<link_ctn id=\"Host\"/></route>\n",
                i, i, i, i);
        for (int j = 0; j < gpus; j++) {
            if (i == j)
                continue;
            cli_put(t, "<route src=\"CUDA%d\" dst=\"CUDA%d\" symmetrical=\"NO\">", i, j);
            if (peers)
                cli_put(t, "<link_ctn id=\"out%d\"/><link_ctn id=\"in%d\"/></route>\n", i, j);
            else
                cli_put(t,
                        "<link_ctn id=\"CUDA%d-RAM\"/><link_ctn id=\"Host\"/>"
                        "<link_ctn id=\"RAM-CUDA%d\"/></route>\n",
                        i, j);
        }
    }
}

static void put_platform(cli_text *t, const node *n, int cpus, int gpus)
{
    cli_put(t, "<?xml version='1.0'?>\n"
               "<!DOCTYPE platform SYSTEM 'http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd'>\n"
               "<platform version=\"4\">\n<config id=\"General\">\n"
               "<prop id=\"network/TCP-gamma\" value=\"-1\"></prop>\n"
               "<prop id=\"network/latency-factor\" value=\"1\"></prop>\n"
               "<prop id=\"network/bandwidth-factor\" value=\"1\"></prop>\n"
               "<prop id=\"network/crosstraffic\" value=\"0\"></prop>\n"
               "<prop id=\"network/weight-S\" value=\"0.0\"></prop>\n</config>\n"
               "<AS id=\"AS0\" routing=\"Full\">\n<host id=\"MAIN\" speed=\"1f\"/>\n");
    for (int i = 0; i < cpus; i++)
        cli_put(t, "<host id=\"CPU%d\" speed=\"2000000000f\"/>\n", i);
    for (int i = 0; i < gpus; i++)
        cli_put(t,
                "<host id=\"CUDA%d\" speed=\"2000000000f\"><prop id=\"memsize\" value=\"%.0f\"/>"
                "<prop id=\"memcpy_peer\" value=\"%d\"/></host>\n",
                i, n->v[NODE_GPU_MEMORY].value, n->v[NODE_PEER_BANDWIDTH].value > 0);
    cli_put(t, "<host id=\"RAM\" speed=\"1f\"/>\n");
    put_links(t, n, gpus);
    put_routes(t, n, gpus);
    cli_put(t, "</AS>\n</platform>\n");
}

static int write_text(cli_text *t, const char *dir, const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bus/%s.%s", dir, name, suffix);
    FILE *f = t->failed ? NULL : fopen(path, "w");
    int bad = !f || fwrite(t->s, 1, t->n, f) != t->n;
    if (f && fclose(f) != 0)
        bad = 1;
    cli_text_free(t);
    if (bad)
        cli_say("%s: %s", path, strerror(errno));
    return bad ? CLI_FILE : CLI_OK;
}

int node_write_bus(const node *n, const char *dir, int cpus, int gpus)
{
    cli_text bandwidth = {0}, latency = {0}, platform = {0};
    put_matrix(&bandwidth, n, gpus, NODE_HOST_BANDWIDTH, NODE_PEER_BANDWIDTH, 1e-6);
    put_matrix(&latency, n, gpus, NODE_HOST_LATENCY, NODE_PEER_LATENCY, 1e6);
    put_platform(&platform, n, cpus, gpus);
    int code = write_text(&bandwidth, dir, n->name, "bandwidth");
    code = cli_worse(code, write_text(&latency, dir, n->name, "latency"));
    return cli_worse(code, write_text(&platform, dir, n->name, "platform.v4.xml"));
}
