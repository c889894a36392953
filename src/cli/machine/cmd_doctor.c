/* orrery doctor: is this machine set up so that Orrery runs right and fast?
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/progress.h"
#include "src/cli/machine/doctor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void doctor_say(struct check *c, enum verdict verdict, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, sizeof c->message, format, list);
    va_end(list);
    c->verdict = verdict;
}

void doctor_remedy(struct check *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->remedy, sizeof c->remedy, format, list);
    va_end(list);
}

int doctor_started(const struct patient *p)
{
    return p->probe.finished && p->probe.opened == ORR_OK;
}

const char *doctor_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *const verdict_name[] = {"OK", "WARN", "FAIL"};

static void print_text(const char *name, const struct check *c, int colour)
{
    static const char *const paint[] = {"\033[32m", "\033[33m", "\033[31m"};
    printf("%s%-4s%s %-13s %s\n", colour ? paint[c->verdict] : "", verdict_name[c->verdict],
           colour ? "\033[0m" : "", name, c->message);
    if (c->verdict != OK && *c->remedy)
        printf("     %-13s -> %s\n", "", c->remedy);
}

static void put_json(cli_text *t, const char *name, const struct check *c)
{
    cli_put(t, "%s{\"name\":", t->s[t->n - 1] == '[' ? "" : ",");
    cli_put_json(t, name);
    cli_put(t, ",\"verdict\":\"%s\",\"message\":", verdict_name[c->verdict]);
    cli_put_json(t, c->message);
    cli_put(t, ",\"remedy\":");
    cli_put_json(t, c->verdict != OK && *c->remedy ? c->remedy : NULL);
    cli_put(t, "}");
}

static int examine(const struct patient *patient, int as_json)
{
    static const doctor_row *const tables[] = {doctor_machine, doctor_setup};
    int seen[3] = {0};
    cli_text t = {0};
    const int colour = cli_colour(STDOUT_FILENO);
    cli_put(&t, "{\"checks\":[");
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const doctor_row *row = tables[k]; row->name; row++) {
            struct check c = {.verdict = OK};
            row->look(patient, &c);
            seen[c.verdict]++;
            if (as_json)
                put_json(&t, row->name, &c);
            else
                print_text(row->name, &c, colour);
        }
    cli_put(&t, "],\"ok\":%d,\"warn\":%d,\"fail\":%d}\n", seen[OK], seen[WARN], seen[FAIL]);
    if (!as_json)
        printf("%d OK, %d WARN, %d FAIL\n", seen[OK], seen[WARN], seen[FAIL]);
    const int code = as_json ? cli_text_print(&t) : CLI_OK;
    cli_text_free(&t);
    return seen[FAIL] ? CLI_CHECK : code;
}

static int run(const cli_command *command, int argc, char **argv)
{
    machine_args args = {0};
    struct patient patient = {0};
    int code;
    if (!cli_parse_alone(command, argc, argv, &args, &code))
        return code;
    patient.topology = cli_topology_read(&patient.machine);
    patient.nvidia =
        access("/proc/driver/nvidia/version", R_OK) == 0 || access("/dev/nvidiactl", F_OK) == 0;
    cli_probe_run(&patient.probe, 1);
    if (doctor_started(&patient))
        cli_models_scan(&patient.models, patient.probe.info.model_dir);
    code = examine(&patient, args.json);
    cli_text_free(&patient.models.names);
    return code;
}

const cli_command cmd_doctor = {
    .name = "doctor",
    .summary = "is this machine set up well? each problem with its remedy",
    .synopsis = "[--json]",
    .about =
        "Looks at StarPU, cores, devices, BLAS, models, files and the environment, and solves\n"
        "a small problem whose answer is known. Exit code 0 if nothing FAILs, else 1.",
    .options = machine_options,
    .examples = "orrery doctor\norrery doctor --json | jq '.checks[] | select(.verdict!=\"OK\")'",
    .run = run,
};
