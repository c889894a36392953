/* StarPU's model files, version 45: written whole or not at all, read with every number
 * checked, because StarPU itself ends the process on a file that it cannot read.
 *
 * Comments begin with '#'. The numbers are: version; combinations; then for each combination the
 * number of its devices (here always 1), type, device, cores; the number of implementations, and
 * for each: entries; the line of the linear regression (8 numbers); a b c; 0; then the entries,
 * hash size flops mean dev sum sum2 n.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/numbers.h"
#include "src/models/internal.h"

enum { VERSION = 45, MOST_PARTS = 1024, MOST_ENTRIES = 1 << 20, LINE = 512 };

/* ---- Reading ------------------------------------------------------------------------------- */

struct reader {
    FILE *f;
    const char *path;
    int line;
    char text[LINE];
    char *message;
};

static orr_status wrong(const struct reader *r, const char *what)
{
    return orr_refuse(r->message, ORR_E_FILE, "%s:%d: %s", r->path, r->line, what);
}

/* The next line that is neither empty nor a comment. */
static orr_status next_line(struct reader *r, const char *wanted)
{
    char what[128];
    for (;;) {
        r->line++;
        if (!fgets(r->text, sizeof r->text, r->f)) {
            snprintf(what, sizeof what, "the file ends where %s should be", wanted);
            return wrong(r, ferror(r->f) ? strerror(errno) : what);
        }
        const size_t n = strlen(r->text);
        if (n == 0 || r->text[n - 1] != '\n')
            return wrong(r, feof(r->f) ? "the last line is cut off" : "the line is too long");
        if (r->text[strspn(r->text, " \t\r\n")] && r->text[0] != '#')
            return ORR_OK;
    }
}

/* The numbers of the next line, so many and no other text. nan is one. */
static orr_status numbers(struct reader *r, const char *wanted, double *x, int count)
{
    char what[160], *s = r->text;
    const orr_status st = next_line(r, wanted);
    if (st != ORR_OK)
        return st;
    int n = 0;
    for (; n < count; n++) {
        char *end;
        x[n] = strtod(s, &end);
        if (end == s)
            break;
        s = end;
    }
    if (n == count && !s[strspn(s, " \t\r\n")])
        return ORR_OK;
    r->text[strcspn(r->text, "\r\n")] = 0;
    snprintf(what, sizeof what, "%s should be here, not '%.60s'", wanted, r->text);
    return wrong(r, what);
}

static orr_status count_of(struct reader *r, const char *wanted, int64_t least, int64_t most,
                           int64_t *out)
{
    double x;
    char what[128];
    const orr_status st = numbers(r, wanted, &x, 1);
    if (st != ORR_OK)
        return st;
    if (!(x >= (double)least && x <= (double)most && x == floor(x))) {
        snprintf(what, sizeof what, "%s is %g, not from %lld to %lld", wanted, x, (long long)least,
                 (long long)most);
        return wrong(r, what);
    }
    *out = (int64_t)x;
    return ORR_OK;
}

static orr_status read_entry(struct reader *r, orr_model_entry *e)
{
    double x[7];
    int found;
    char *end;
    orr_status st = next_line(r, "an entry");
    if (st != ORR_OK)
        return st;
    const unsigned long key = strtoul(r->text, &end, 16);
    if (end == r->text || key > 0xffffffffUL || !isspace((unsigned char)*end))
        return wrong(r, "an entry begins with a hash of eight hexadecimal digits");
    char *s = end;
    for (found = 0; found < 7; found++) {
        x[found] = strtod(s, &end);
        if (end == s)
            break;
        s = end;
    }
    if (found != 7 || s[strspn(s, " \t\r\n")])
        return wrong(r, "an entry has eight numbers: hash size flops mean dev sum sum2 n");
    const double mean = x[2], sd = x[3], sum = x[4], n = x[6];
    if (!(x[0] >= 0 && mean >= 0 && sd >= 0 && sum >= 0 && x[5] >= 0 && n >= 0 && n == floor(n) &&
          n < 1e15 && isfinite(mean) && isfinite(sd)))
        return wrong(r, "size, mean, dev, sum, sum2 and n are finite and not negative");
    if (fabs(sum - n * mean) > 1e-4 * sum)
        return wrong(r, "the sum is not n times the mean");
    *e = (orr_model_entry){
        .key = (uint32_t)key, .size = x[0], .mean = mean, .sd = sd, .n = (int64_t)n};
    return ORR_OK;
}

static orr_status read_part(struct reader *r, orr_model_part *p)
{
    double line[9], curve[3];
    int64_t entries, coefficients;
    orr_model_fit *f = &p->fit;
    orr_status st = count_of(r, "the number of entries", 0, MOST_ENTRIES, &entries);
    if (st == ORR_OK)
        st = numbers(r, "the linear regression (9 numbers)", line, 9);
    if (st == ORR_OK)
        st = numbers(r, "the curve a b c", curve, 3);
    if (st == ORR_OK)
        st = count_of(r, "the number of coefficients (multiple regression: none)", 0, 0,
                      &coefficients);
    if (st != ORR_OK)
        return st;
    *f = (orr_model_fit){
        .a = curve[0], .b = curve[1], .c = curve[2], .minx = line[7], .maxx = line[8]};
    f->valid = isfinite(f->a) && isfinite(f->b) && isfinite(f->c) && line[6] >= 10 &&
               f->minx < 0.9 * f->maxx;
    p->entry = calloc((size_t)entries + 1, sizeof *p->entry);
    if (!p->entry)
        return orr_refuse(r->message, ORR_E_NOMEM, "%s: out of memory", r->path);
    for (; st == ORR_OK && p->entries < entries; p->entries++)
        st = read_entry(r, &p->entry[p->entries]);
    return st == ORR_OK ? orr_model_judge(p) : st;
}

static orr_status read_combination(struct reader *r, orr_model *m)
{
    int64_t devices, type, device, cores, impls;
    orr_status st = count_of(r, "the number of devices of a combination", 1, 1, &devices);
    if (st == ORR_OK)
        st = count_of(r, "the type of device", 0, ORR_NKINDS - 1, &type);
    if (st == ORR_OK)
        st = count_of(r, "the number of the device", 0, 4095, &device);
    if (st == ORR_OK)
        st = count_of(r, "the number of cores", 0, 4096, &cores);
    if (st == ORR_OK)
        st = count_of(r, "the number of implementations", 1, 16, &impls);
    for (int64_t i = 0; st == ORR_OK && i < impls; i++) {
        orr_model_part *more = realloc(m->part, (size_t)(m->parts + 1) * sizeof *more);
        if (!more)
            return orr_refuse(r->message, ORR_E_NOMEM, "%s: out of memory", r->path);
        m->part = more;
        more[m->parts] = (orr_model_part){
            .kind = (orr_kind)type, .device = (int)device, .cores = (int)cores, .impl = (int)i};
        st = read_part(r, &more[m->parts++]);
    }
    return st;
}

static orr_status read_model(struct reader *r, orr_model *m)
{
    int64_t version, combinations;
    orr_status st = count_of(r, "the version", VERSION, VERSION, &version);
    if (st == ORR_OK)
        st = count_of(r, "the number of combinations", 0, MOST_PARTS, &combinations);
    for (int64_t i = 0; st == ORR_OK && i < combinations; i++)
        st = read_combination(r, m);
    if (st != ORR_OK)
        return st;
    while (fgets(r->text, sizeof r->text, r->f)) {
        r->line++;
        if (r->text[strspn(r->text, " \t\r\n")] && r->text[0] != '#')
            return wrong(r, "more than the file announces");
    }
    return ferror(r->f) ? wrong(r, strerror(errno)) : ORR_OK;
}

/* The file's name without directory and host. */
static void name_of(const char *path, char name[64])
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *dot = strchr(base, '.');
    snprintf(name, 64, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
}

orr_status orr_model_read(const char *path, orr_model *m, char message[ORR_MESSAGE])
{
    if (m)
        *m = (orr_model){0};
    if (!path || !m)
        return orr_missing(message, path ? "the model" : "path");
    struct reader r = {.f = fopen(path, "r"), .path = path, .message = message};
    if (!r.f)
        return orr_refuse(message, ORR_E_FILE, "%s: %s", path, strerror(errno));
    name_of(path, m->name);
    const locale_t locale = orr_numbers_begin();
    const orr_status st = read_model(&r, m);
    orr_numbers_end(locale);
    fclose(r.f);
    if (st != ORR_OK)
        orr_model_free(m);
    return st;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void write_part(FILE *f, const orr_model_part *p)
{
    const orr_model_fit *g = &p->fit;
    double sx = 0, sxx = 0, sy = 0, sxy = 0, runs = 0;
    for (int64_t i = 0; i < p->entries; i++) {
        const double x = log(p->entry[i].size), y = log(p->entry[i].mean);
        const double n = (double)p->entry[i].n; /* StarPU adds every run */
        sx += n * x, sxx += n * x * x, sy += n * y, sxy += n * x * y;
        runs += n;
    }
    const double det = runs * sxx - sx * sx;
    const double beta = (runs * sxy - sx * sy) / det, alpha = exp((sy - beta * sx) / runs);
    const int straight = p->entries > 1 && isfinite(alpha) && isfinite(beta);
    fprintf(f, "#####\n# Model for %s%d_impl%d\n# number of entries\n%lld\n",
            orr_kind_name(p->kind), p->device, p->impl, (long long)p->entries);
    fprintf(f, "# sumlnx\tsumlnx2\t\tsumlny\t\tsumlnxlny\talpha\t\tbeta\t\tn\tminx\t\tmaxx\n");
    fprintf(f, "%-15e\t%-15e\t%-15e\t%-15e\t", sx, sxx, sy, sxy);
    if (straight)
        fprintf(f, "%-15e\t%-15e", alpha, beta);
    else
        fprintf(f, "%-15s\t%-15s", "nan", "nan");
    fprintf(f, "\t%.0f\t%-15.0f\t%-15.0f\n# a\t\tb\t\tc\n", runs, g->minx, g->maxx);
    if (g->valid)
        fprintf(f, "%-15e\t%-15e\t%-15e\n", g->a, g->b, g->c);
    else
        fprintf(f, "%-15s\t%-15s\t%-15s\n", "nan", "nan", "nan");
    fprintf(f, "# not multiple-regression-base\n0\n");
    fprintf(f, "# hash\t\tsize\t\tflops\t\tmean (us)\tdev (us)\tsum\t\tsum2\t\tn\n");
    for (int64_t i = 0; i < p->entries; i++) {
        const orr_model_entry *e = &p->entry[i];
        fprintf(f, "%08x\t%-15.0f\t%-15e\t%-15e\t%-15e\t%-15e\t%-15e\t%lld\n", e->key, e->size, 0.,
                e->mean, e->sd, e->mean * (double)e->n,
                (e->mean * e->mean + e->sd * e->sd) * (double)e->n, (long long)e->n);
    }
    fprintf(f, "\n");
}

static int same_device(const orr_model_part *a, const orr_model_part *b)
{
    return a->kind == b->kind && a->device == b->device && a->cores == b->cores;
}

/* The parts p[0..n) of one device. StarPU numbers implementations by place, so one that did not
 * run is written as empty. */
static void write_combination(FILE *f, const orr_model_part *p, int64_t n, int64_t number)
{
    static const char rule[] = "####################";
    const int impls = p[n - 1].impl + 1;
    fprintf(f, "%s\n# COMB_%lld\n# number of types devices\n1\n", rule, (long long)number);
    fprintf(f, "%s\n# DEV_0\n# device type (CPU - 0, CUDA - 1, OPENCL - 2)\n%d\n", rule, p->kind);
    fprintf(f, "%s\n# DEV_0\n# device id\n%d\n", rule, p->device);
    fprintf(f, "%s\n# DEV_0\n# number of cores\n%d\n", rule, p->cores);
    fprintf(f, "##########\n# number of implementations\n%d\n", impls);
    for (int i = 0; i < impls; i++) {
        orr_model_part none = *p;
        none.impl = i;
        none.entries = 0;
        none.fit = (orr_model_fit){0};
        if (n > 0 && p->impl == i)
            write_part(f, p++), n--;
        else
            write_part(f, &none);
    }
}

orr_status orr_model_write(const char *path, const orr_model *m, char message[ORR_MESSAGE])
{
    if (!path || !m)
        return orr_missing(message, path ? "the model" : "path");
    FILE *f = orr_part_open(path, message);
    if (!f)
        return ORR_E_FILE;
    const locale_t locale = orr_numbers_begin();
    int64_t combinations = 0;
    for (int64_t i = 0; i < m->parts; i++)
        combinations += i == 0 || !same_device(&m->part[i], &m->part[i - 1]);
    fprintf(f, "##################\n# Performance Model Version\n%d\n\n", VERSION);
    fprintf(f, "####################\n# COMBs\n# number of combinations\n%lld\n",
            (long long)combinations);
    combinations = 0;
    for (int64_t i = 0, end; i < m->parts; i = end) {
        for (end = i + 1; end < m->parts && same_device(&m->part[i], &m->part[end]);)
            end++;
        write_combination(f, &m->part[i], end - i, combinations++);
    }
    orr_numbers_end(locale);
    return orr_part_close(f, path, message);
}

/* ---- A directory --------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const orr_model *)a)->name, ((const orr_model *)b)->name);
}

/* 1: NAME.host, and NAME has no dot. */
static int is_model_of(const char *file, const char *host)
{
    const char *dot = strchr(file, '.');
    return dot && dot != file && strcmp(dot + 1, host) == 0;
}

orr_status orr_models_read(const char *dir, const char *host, orr_models *out,
                           char message[ORR_MESSAGE])
{
    char path[1024];
    orr_status st = ORR_OK;
    if (out)
        *out = (orr_models){0};
    if (!dir || !host || !out)
        return orr_missing(message, !dir ? "dir" : !host ? "host" : "the place for the models");
    snprintf(path, sizeof path, "%s/%s", dir, ORR_MODELS_CODELETS);
    DIR *d = opendir(path);
    if (!d)
        return orr_refuse(message, ORR_E_FILE, "%s: %s", path, strerror(errno));
    for (struct dirent *e; st == ORR_OK && (e = readdir(d));) {
        if (!is_model_of(e->d_name, host))
            continue;
        orr_model *more = realloc(out->model, (size_t)(out->count + 1) * sizeof *more);
        if (!more) {
            st = orr_refuse(message, ORR_E_NOMEM, "%s: out of memory", path);
            break;
        }
        out->model = more;
        snprintf(path, sizeof path, "%s/%s/%s", dir, ORR_MODELS_CODELETS, e->d_name);
        st = orr_model_read(path, &more[out->count], message);
        out->count += st == ORR_OK;
    }
    closedir(d);
    if (st == ORR_OK && out->count == 0)
        st = orr_refuse(message, ORR_E_FILE, "%s/%s: no models of '%s'", dir, ORR_MODELS_CODELETS,
                        host);
    if (st != ORR_OK)
        orr_models_free(out);
    else
        qsort(out->model, (size_t)out->count, sizeof *out->model, by_name);
    return st;
}

orr_status orr_models_write(const char *dir, const char *host, const orr_models *m,
                            char message[ORR_MESSAGE])
{
    char path[1024];
    if (!dir || !host || !m)
        return orr_missing(message, !dir ? "dir" : !host ? "host" : "models");
    snprintf(path, sizeof path, "%s/%s", dir, ORR_MODELS_CODELETS);
    if (orr_make_path(path) != 0)
        return orr_refuse(message, ORR_E_FILE, "%s: %s", path, strerror(errno));
    orr_status st = ORR_OK;
    for (int64_t i = 0; st == ORR_OK && i < m->count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s.%s", dir, ORR_MODELS_CODELETS, m->model[i].name,
                 host);
        st = orr_model_write(path, &m->model[i], message);
    }
    return st;
}
