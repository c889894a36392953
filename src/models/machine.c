/* Which machine this is, and the file DIR/calibration that says which machine the models of a
 * directory are of and what every file's checksum was: lines "key = value".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/models/internal.h"

enum { FORMAT = 1 };

/* ---- This machine --------------------------------------------------------------------------- */

int orr_machine_same(const orr_machine *here, const orr_machine *there, char message[ORR_MESSAGE])
{
    if (strcmp(here->cpu, there->cpu) != 0 || strcmp(here->cpu, "unknown") == 0)
        orr_refuse(message, ORR_E_FILE, "its processor is '%s', this is '%s'", there->cpu,
                   here->cpu);
    else if (here->cores != there->cores)
        orr_refuse(message, ORR_E_FILE, "it has %d cores, here are %d", there->cores, here->cores);
    else if (here->devices != there->devices)
        orr_refuse(message, ORR_E_FILE, "it has %d CUDA devices, here are %d", there->devices,
                   here->devices);
    else {
        for (int i = 0; i < here->devices; i++)
            if (strcmp(here->device[i], there->device[i]) != 0) {
                orr_refuse(message, ORR_E_FILE, "it has the device '%s', here is '%s'",
                           there->device[i], here->device[i]);
                return 0;
            }
        return 1;
    }
    return 0;
}

/* ---- Reading the calibration file --------------------------------------------------------- */

/* One line: key and value, both inside `line`. 0: empty or a comment; -1: no '='. */
static int split(char *line, char **key, char **value)
{
    line[strcspn(line, "\r\n")] = 0;
    *key = line + strspn(line, " \t");
    if (!**key || **key == '#')
        return 0;
    char *equals = strchr(*key, '=');
    if (!equals)
        return -1;
    *value = equals + 1 + strspn(equals + 1, " \t");
    while (equals > *key && (equals[-1] == ' ' || equals[-1] == '\t'))
        equals--;
    *equals = 0;
    return 1;
}

struct field {
    const char *key;
    char *to;
    size_t room;
};

/* check 1: the files' sums too. */
static orr_status read_line(const char *dir, char *line, const char *at, int check,
                            orr_calibration *c, char message[ORR_MESSAGE])
{
    const struct field fields[] = {
        {"machine", c->name, sizeof c->name},      {"cpu", c->machine.cpu, sizeof c->machine.cpu},
        {"starpu", c->starpu, sizeof c->starpu},   {"orrery", c->orrery, sizeof c->orrery},
        {"blas", c->blas, sizeof c->blas},         {"date", c->date, sizeof c->date},
        {"command", c->command, sizeof c->command}};
    char *key, *value;
    const int got = split(line, &key, &value);
    if (got == 0)
        return ORR_OK;
    if (got < 0)
        return orr_refuse(message, ORR_E_FILE, "%s: not of the form key = value: '%.80s'", at, key);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(key, fields[i].key) == 0) {
            snprintf(fields[i].to, fields[i].room, "%s", value);
            return ORR_OK;
        }
    if (strcmp(key, "format") == 0)
        return atoi(value) == FORMAT
                   ? ORR_OK
                   : orr_refuse(message, ORR_E_FILE, "%s: format %s, this orrery knows %d", at,
                                value, FORMAT);
    if (strcmp(key, "cores") == 0) {
        c->machine.cores = atoi(value);
        return ORR_OK;
    }
    if (strcmp(key, "device") == 0) {
        if (c->machine.devices == ORR_MACHINE_DEVICES)
            return orr_refuse(message, ORR_E_FILE, "%s: at most %d devices", at,
                              ORR_MACHINE_DEVICES);
        snprintf(c->machine.device[c->machine.devices++], sizeof *c->machine.device, "%s", value);
        return ORR_OK;
    }
    if (strcmp(key, "file") != 0)
        return orr_refuse(message, ORR_E_FILE,
                          "%s: unknown key '%.40s' (format, machine, cpu, cores, device, starpu, "
                          "orrery, blas, date, command, file)",
                          at, key);
    char name[256], path[1024];
    unsigned long wanted, crc;
    long long length, bytes;
    if (sscanf(value, "%255s %lx %lld", name, &wanted, &length) != 3)
        return orr_refuse(message, ORR_E_FILE, "%s: a file needs name, checksum and length", at);
    if (!check)
        return ORR_OK;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (orr_file_sum(path, &crc, &bytes) != ORR_OK)
        return orr_refuse(message, ORR_E_FILE, "%s: %s: %s", at, path, strerror(errno));
    orr_model m;
    if (strstr(name, "codelets/") == name) { /* says in which line the damage is, if it can */
        const orr_status st = orr_model_read(path, &m, message);
        if (st != ORR_OK)
            return st;
        orr_model_free(&m);
    }
    if (bytes != length || crc != wanted)
        return orr_refuse(message, ORR_E_FILE,
                          "%s: %s was changed after calibration (%lld bytes with checksum %08lx, "
                          "not %lld with %08lx)",
                          at, path, bytes, crc, length, wanted);
    return ORR_OK;
}

static int count_files(const char *dir, const char *sub)
{
    char path[1024];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", dir, sub);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static orr_status read_calibration(const char *dir, int check, orr_calibration *c,
                                   char message[ORR_MESSAGE])
{
    char path[1024], at[1100], line[1024];
    if (c)
        *c = (orr_calibration){0};
    if (!dir || !c)
        return orr_missing(message, dir ? "the calibration" : "dir");
    snprintf(path, sizeof path, "%s/calibration", dir);
    FILE *f = fopen(path, "r");
    if (!f)
        return orr_refuse(message, ORR_E_FILE, "%s: %s", path, strerror(errno));
    orr_status st = ORR_OK;
    int whole = 1, listed = 0;
    for (int number = 1; st == ORR_OK && fgets(line, sizeof line, f); number++) {
        snprintf(at, sizeof at, "%s:%d", path, number);
        whole = strchr(line, '\n') != NULL;
        listed += strncmp(line, "file ", 5) == 0;
        st = whole ? read_line(dir, line, at, check, c, message)
                   : orr_refuse(message, ORR_E_FILE, "%s: the last line is cut off", at);
    }
    if (st == ORR_OK && ferror(f))
        st = orr_refuse(message, ORR_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    fclose(f);
    if (st == ORR_OK && (!c->name[0] || !c->machine.cpu[0] || c->machine.cores < 1))
        st = orr_refuse(message, ORR_E_FILE, "%s: machine, cpu or cores is missing", path);
    const int there = check ? count_files(dir, "bus") + count_files(dir, ORR_MODELS_CODELETS) : 0;
    if (st == ORR_OK && there > listed)
        st = orr_refuse(message, ORR_E_FILE,
                        "%s lists %d of the %d files in bus and " ORR_MODELS_CODELETS
                        ": it was cut, or files were added",
                        path, listed, there);
    return st;
}

orr_status orr_calibration_read(const char *dir, orr_calibration *c, char message[ORR_MESSAGE])
{
    return read_calibration(dir, 0, c, message);
}

orr_status orr_calibration_check(const char *dir, char message[ORR_MESSAGE])
{
    orr_calibration c;
    return read_calibration(dir, 1, &c, message);
}

/* ---- Writing it --------------------------------------------------------------------------- */

static orr_status list_files(FILE *f, const char *dir, const char *sub, char message[ORR_MESSAGE])
{
    char path[1024];
    struct dirent **list;
    orr_status st = ORR_OK;
    snprintf(path, sizeof path, "%s/%s", dir, sub);
    const int n = scandir(path, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        unsigned long crc;
        long long bytes;
        if (st == ORR_OK && list[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s/%s", dir, sub, list[i]->d_name);
            if (orr_file_sum(path, &crc, &bytes) == ORR_OK)
                fprintf(f, "file = %s/%s %08lx %lld\n", sub, list[i]->d_name, crc, bytes);
            else
                st = orr_refuse(message, ORR_E_FILE, "%s: %s", path, strerror(errno));
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    else
        st = orr_refuse(message, ORR_E_FILE, "%s: %s", path, strerror(errno));
    return st;
}

orr_status orr_calibration_write(const char *dir, const orr_calibration *c,
                                 char message[ORR_MESSAGE])
{
    char path[1024];
    if (!dir || !c)
        return orr_missing(message, dir ? "the calibration" : "dir");
    snprintf(path, sizeof path, "%s/calibration", dir);
    FILE *f = orr_part_open(path, message);
    if (!f)
        return ORR_E_FILE;
    fprintf(f, "# Frozen performance models of Orrery; see docs/calibration.md.\n"
               "# A file that is changed is refused: calibrate anew instead.\n");
    fprintf(f, "format = %d\nmachine = %s\ncpu = %s\ncores = %d\n", FORMAT, c->name, c->machine.cpu,
            c->machine.cores);
    for (int i = 0; i < c->machine.devices; i++)
        fprintf(f, "device = %s\n", c->machine.device[i]);
    fprintf(f, "starpu = %s\norrery = %s\nblas = %s\ndate = %s\ncommand = %s\n", c->starpu,
            c->orrery, c->blas, c->date, c->command);
    orr_status st = list_files(f, dir, "bus", message);
    if (st == ORR_OK)
        st = list_files(f, dir, ORR_MODELS_CODELETS, message);
    if (st == ORR_OK)
        return orr_part_close(f, path, message);
    orr_part_drop(f, path);
    return st;
}
