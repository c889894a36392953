/* orrery info: what the machine is and what Orrery makes of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/simd.h"
#include "src/cli/machine/machine.h"

static const char build_flags[] =
#ifdef __OPTIMIZE__
    "optimized"
#else
    "not optimized"
#endif
#ifndef NDEBUG
    ", assertions"
#endif
#ifdef __SANITIZE_ADDRESS__
    ", address sanitizer"
#endif
#ifdef __SANITIZE_THREAD__
    ", thread sanitizer"
#endif
#ifdef __VERSION__
    ", compiler " __VERSION__
#endif
#ifdef ORR_FLAGS
    ", " ORR_FLAGS
#endif
    ;

void cli_version(FILE *f)
{
    orr_context_info i;
    orr_versions(&i);
    fprintf(f, "orrery %s%s%s\n", orr_version(), *cli_git() ? " " : "", cli_git());
    fprintf(f, "StarPU   %s\n", i.starpu);
    fprintf(f, "CUDA     %s\n", !i.has_cuda ? "not built in" : i.cuda_version);
    fprintf(f, "MPI      %s\n", *i.mpi ? i.mpi : "not built in");
    fprintf(f, "BLAS     %s\n", i.blas);
    fprintf(f, "compiled %s\n", build_flags);
}

static void text(cli_text *t, const cli_topology *m, const cli_probe *p, const cli_models *models)
{
    const orr_context_info *i = &p->info;
    cli_put(t, "orrery %s%s%s (%s)\n", orr_version(), *cli_git() ? " " : "", cli_git(),
            build_flags);
    cli_put(t, "machine    %s: %s, %s\n", cli_machine(), m->cpu, cli_simd_name(cli_simd()));
    cli_put(
        t,
        "           %d package%s, %d NUMA node%s, %d core%s, %d PU%s (%d core%s, %d PU%s allowed)\n",
        m->packages, cli_plural(m->packages), m->numa, cli_plural(m->numa), m->cores,
        cli_plural(m->cores), m->pus, cli_plural(m->pus), m->allowed_cores,
        cli_plural(m->allowed_cores), m->allowed_pus, cli_plural(m->allowed_pus));
    cli_put(t, "           ");
    for (int k = 0; k < m->caches; k++)
        cli_put(t, "%sL%d %d x %lld KiB", k ? ", " : "", m->cache[k].level, m->cache[k].count,
                (long long)m->cache[k].bytes / 1024);
    cli_put(t, "\nmemory     %.4g GiB, %.4g GiB free\n", (double)m->memory / 0x1p30,
            (double)cli_free_memory() / 0x1p30);
    cli_put(t, "workers    %d CPU (at most %d), %d CUDA, %d OpenCL; default policy %s\n", i->cpu,
            i->max_cpus, i->cuda, i->opencl, i->sched);
    cli_put(t, "versions   StarPU %s, hwloc %s, CUDA %s\n", i->starpu, m->hwloc,
            *i->cuda_version ? i->cuda_version
            : i->has_cuda    ? "unknown"
                             : "not built in");
    cli_put(t, "MPI        %s\n", *i->mpi ? i->mpi : "not built in");
    cli_put(t, "BLAS       %s%s%s\n", i->blas, *cli_blas_core() ? ", kernels for " : "",
            cli_blas_core());
    if (*i->model_source)
        cli_put(t, "models     %d of '%s', frozen in %s\n           (StarPU's copy: %s)\n",
                models->mine, i->model_machine, i->model_source, i->model_dir);
    else
        cli_put(t, "models     %s: %d of this machine, %d of others, learnt by StarPU\n",
                i->model_dir, models->mine, models->others);
    if (models->names.n)
        cli_put(t, "           %s\n", models->names.s);
}

static void json(cli_text *t, const cli_topology *m, const cli_probe *p, const cli_models *models)
{
    const orr_context_info *i = &p->info;
    cli_put(t, "{");
    cli_member_json(t, "version", orr_version());
    cli_member_json(t, "git", cli_git());
    cli_member_json(t, "build", build_flags);
    cli_put(t, ",\"machine\":{");
    cli_member_json(t, "name", cli_machine());
    cli_member_json(t, "cpu", m->cpu);
    cli_member_json(t, "simd", cli_simd_name(cli_simd()));
    cli_put(t,
            ",\"packages\":%d,\"numa\":%d,\"cores\":%d,\"pus\":%d,\"allowed_cores\":%d,"
            "\"allowed_pus\":%d,\"memory\":%lld,\"memory_free\":%lld,\"caches\":[",
            m->packages, m->numa, m->cores, m->pus, m->allowed_cores, m->allowed_pus,
            (long long)m->memory, (long long)cli_free_memory());
    for (int k = 0; k < m->caches; k++)
        cli_put(t, "%s{\"level\":%d,\"count\":%d,\"bytes\":%lld}", k ? "," : "", m->cache[k].level,
                m->cache[k].count, (long long)m->cache[k].bytes);
    cli_put(t,
            "]},\"workers\":{\"cpu\":%d,\"cuda\":%d,\"opencl\":%d},\"max_cpus\":%d,"
            "\"has_cuda\":%s",
            i->cpu, i->cuda, i->opencl, i->max_cpus, i->has_cuda ? "true" : "false");
    cli_member_json(t, "sched", i->sched);
    cli_member_json(t, "starpu", i->starpu);
    cli_member_json(t, "hwloc", m->hwloc);
    cli_member_json(t, "cuda", i->cuda_version);
    cli_member_json(t, "mpi", i->mpi);
    cli_member_json(t, "blas", i->blas);
    cli_member_json(t, "blas_core", cli_blas_core());
    cli_put(t, ",\"models\":{");
    cli_member_json(t, "dir", i->model_dir);
    cli_member_json(t, "frozen", i->model_source);
    cli_member_json(t, "machine", i->model_machine);
    cli_put(t, ",\"mine\":%d,\"others\":%d", models->mine, models->others);
    cli_member_json(t, "names", models->names.s ? models->names.s : "");
    cli_put(t, "}}\n");
}

static int run(const cli_command *command, int argc, char **argv)
{
    machine_args args = {0};
    int code;
    if (!cli_parse_alone(command, argc, argv, &args, &code))
        return code;
    cli_topology machine;
    cli_probe probe;
    cli_models models = {0};
    cli_text t = {0};
    if (!cli_topology_read(&machine))
        cli_say("hwloc cannot read this machine's topology");
    cli_probe_run(&probe, 0);
    if (!probe.finished || probe.opened != ORR_OK) {
        cli_say("StarPU did not start: %s; 'orrery doctor' looks for the reason", probe.how);
        return CLI_RUNTIME;
    }
    cli_models_scan(&models, probe.info.model_dir);
    (args.json ? json : text)(&t, &machine, &probe, &models);
    cli_text_free(&models.names);
    return cli_text_print(&t);
}

const cli_command cmd_info = {
    .name = "info",
    .summary = "the machine, its workers, versions and performance models",
    .synopsis = "[--json]",
    .about = "Starts StarPU in a child process and tells what it found.",
    .options = machine_options,
    .examples = "orrery info --json | jq .workers",
    .run = run,
};
