/* WfFormat (https://wfcommons.org/format): workflows of programs that read and write files.
 * Version 1.5 keeps "specification" and "execution" apart; 1.3 and 1.4 have all of a task in one place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "src/cli/core/json.h"
#include "src/cli/simulate/graph_import.h"

struct wf {
    const char *path;
    struct orr_dag *d;
    graph_words ids, files;
    const json_value **task; /* by number of its id */
    double *seconds;
    size_t *place;  /* of each task in the graph */
    uint64_t *data; /* of each file by number; 0: none yet */
    size_t *bytes;
    size_t data_room, tasks;
    uint32_t (*pair)[2];
    size_t pairs;
};

static int wrong(const struct wf *w, const char *task, const char *what)
{
    cli_say("%s: %s%s%s%s", w->path, task ? "task '" : "", task ? task : "", task ? "': " : "",
            what);
    return CLI_FILE;
}

static const char *text_of(const json_value *v)
{
    return v && v->kind == JSON_STRING ? v->text : NULL;
}

static const char *id_of(const json_value *task)
{
    const char *id = text_of(json_member(task, "id"));
    return id ? id : text_of(json_member(task, "name"));
}

static const json_value *list_of(const json_value *object, const char *key)
{
    const json_value *v = json_member(object, key);
    return v && v->kind == JSON_ARRAY ? v->first : NULL;
}

static double number_of(const json_value *object, const char *a, const char *b)
{
    const json_value *v = json_member(object, a);
    v = v ? v : json_member(object, b);
    return v && v->kind == JSON_NUMBER ? v->number : NAN;
}

/* ---- Tasks ------------------------------------------------------------------------------------- */

static size_t count(const json_value *v)
{
    size_t n = 0;
    for (; v; v = v->next)
        n++;
    return n;
}

static int read_names(struct wf *w, const json_value *first)
{
    w->tasks = count(first);
    w->task = calloc(w->tasks + 1, sizeof *w->task);
    w->seconds = malloc((w->tasks + 1) * sizeof *w->seconds);
    w->place = calloc(w->tasks + 1, sizeof *w->place);
    if (!w->task || !w->seconds || !w->place)
        return CLI_MEMORY;
    for (const json_value *t = first; t; t = t->next) {
        const char *id = id_of(t);
        if (!id)
            return wrong(w, NULL, "a task without id and name");
        const size_t before = w->ids.count, k = graph_word(&w->ids, id, 1);
        if (k == SIZE_MAX)
            return CLI_MEMORY;
        if (k < before)
            return wrong(w, id, "a second task of this id");
        w->task[k] = t;
        w->seconds[k] = number_of(t, "runtimeInSeconds", "runtime");
    }
    return CLI_OK;
}

/* Of version 1.5: times stand apart. */
static int read_times(struct wf *w, const json_value *first)
{
    for (const json_value *t = first; t; t = t->next) {
        const char *id = id_of(t);
        const size_t k = id ? graph_word(&w->ids, id, 0) : SIZE_MAX;
        if (k == SIZE_MAX)
            return wrong(w, id, "it was executed, but is not specified");
        w->seconds[k] = number_of(t, "runtimeInSeconds", "runtime");
    }
    return CLI_OK;
}

static int read_parents(struct wf *w)
{
    size_t n = 0;
    for (size_t k = 0; k < w->tasks; k++)
        n += count(list_of(w->task[k], "parents")) + count(list_of(w->task[k], "children"));
    w->pair = malloc((n + 1) * sizeof *w->pair);
    if (!w->pair)
        return CLI_MEMORY;
    for (size_t k = 0; k < w->tasks; k++)
        for (int children = 0; children < 2; children++)
            for (const json_value *v = list_of(w->task[k], children ? "children" : "parents"); v;
                 v = v->next) {
                const char *id = text_of(v);
                const size_t other = id ? graph_word(&w->ids, id, 0) : SIZE_MAX;
                if (other == SIZE_MAX)
                    return wrong(w, id_of(w->task[k]),
                                 children ? "a child that is no task" : "a parent that is no task");
                w->pair[w->pairs][0] = (uint32_t)(children ? other : k);
                w->pair[w->pairs++][1] = (uint32_t)(children ? k : other);
            }
    return CLI_OK;
}

/* place[]: an order in which parents come first, that of the file where it is one. */
static int sort_tasks(struct wf *w)
{
    size_t *waits = calloc(w->tasks + 1, sizeof *waits), placed = 0, before;
    if (!waits)
        return CLI_MEMORY;
    for (size_t k = 0; k < w->tasks; k++)
        w->place[k] = SIZE_MAX;
    do { /* as many rounds as the longest chain goes against the order of the file */
        before = placed;
        memset(waits, 0, w->tasks * sizeof *waits);
        for (size_t p = 0; p < w->pairs; p++)
            waits[w->pair[p][0]] += w->place[w->pair[p][1]] == SIZE_MAX;
        for (size_t k = 0; k < w->tasks; k++)
            if (w->place[k] == SIZE_MAX && !waits[k])
                w->place[k] = placed++;
    } while (placed > before);
    size_t k = 0;
    while (placed < w->tasks && w->place[k] != SIZE_MAX)
        k++;
    free(waits);
    return placed == w->tasks
               ? CLI_OK
               : wrong(w, id_of(w->task[k]), "a cycle: it is, or waits for, its own ancestor");
}

/* ---- Files of tasks -------------------------------------------------------------------------------- */

/* The number of a file, SIZE_MAX without memory. */
static size_t file_of(struct wf *w, const char *name)
{
    const size_t k = graph_word(&w->files, name, 1);
    if (k == SIZE_MAX || k < w->data_room)
        return k;
    const size_t room = 2 * k + 64;
    uint64_t *data = realloc(w->data, room * sizeof *data);
    if (data)
        w->data = data;
    size_t *bytes = realloc(w->bytes, room * sizeof *bytes);
    if (bytes)
        w->bytes = bytes;
    if (!data || !bytes)
        return SIZE_MAX;
    memset(data + w->data_room, 0, (room - w->data_room) * sizeof *data);
    memset(bytes + w->data_room, 0, (room - w->data_room) * sizeof *bytes);
    w->data_room = room;
    return k;
}

static int set_size(struct wf *w, const json_value *file, const char *name)
{
    const double size = number_of(file, "sizeInBytes", "size");
    const size_t k = file_of(w, name);
    if (k == SIZE_MAX)
        return CLI_MEMORY;
    if (!isnan(size) && !(size >= 0 && size < 1e18))
        return wrong(w, NULL, "a file of a size that cannot be");
    if (!isnan(size))
        w->bytes[k] = (size_t)size;
    return CLI_OK;
}

static int put_file(struct wf *w, const char *name, int mode)
{
    const size_t k = name ? file_of(w, name) : SIZE_MAX;
    if (!name)
        return wrong(w, NULL, "a file without a name");
    if (k == SIZE_MAX)
        return CLI_MEMORY;
    if (!w->data[k])
        w->data[k] = orr_dag_data(w->d, w->bytes[k]);
    struct orr_dag_task *t = &w->d->task[w->d->tasks - 1];
    for (unsigned i = 0; i < t->accesses; i++) /* read and written: one access */
        if (w->d->access[t->first + i].data == w->data[k]) {
            w->d->access[t->first + i].mode |= mode;
            return CLI_OK;
        }
    orr_dag_access(w->d, w->data[k], mode, w->bytes[k]);
    return CLI_OK;
}

static int put_files(struct wf *w, const json_value *task)
{
    int code = CLI_OK;
    for (int out = 0; out < 2; out++) /* 1.5: lists of ids */
        for (const json_value *v = list_of(task, out ? "outputFiles" : "inputFiles");
             v && code == CLI_OK; v = v->next)
            code = put_file(w, text_of(v), out ? ORR_ACCESS_W : ORR_ACCESS_R);
    for (const json_value *v = list_of(task, "files"); v && code == CLI_OK; v = v->next) {
        const char *link = text_of(json_member(v, "link")), *name = id_of(v);
        if (!name || !link || (strcmp(link, "input") && strcmp(link, "output")))
            return wrong(w, id_of(task), "a file that is neither input nor output");
        code = set_size(w, v, name);
        if (code == CLI_OK)
            code = put_file(w, name, *link == 'o' ? ORR_ACCESS_W : ORR_ACCESS_R);
    }
    return code;
}

/* ---- The graph ----------------------------------------------------------------------------------------- */

/* "blastall_00000012" and its like are of one kind: "category" says so, or the name without its
 * number. */
static void kind_name(const json_value *task, char *out, size_t room)
{
    const char *category = text_of(json_member(task, "category"));
    const char *name = text_of(json_member(task, "name"));
    snprintf(out, room, "%s", category ? category : name ? name : id_of(task));
    size_t n = strlen(out);
    while (n > 1 && strchr("0123456789", out[n - 1]))
        n--;
    if (!category && n > 1 && n < strlen(out) && strchr("_-", out[n - 1]))
        out[n - 1] = '\0';
}

static int put_tasks(struct wf *w)
{
    size_t *order = malloc((w->tasks + 1) * sizeof *order);
    int code = order ? CLI_OK : CLI_MEMORY;
    for (size_t k = 0; order && k < w->tasks; k++)
        order[w->place[k]] = k;
    for (size_t i = 0; code == CLI_OK && i < w->tasks; i++) {
        const size_t k = order[i];
        char name[128];
        kind_name(w->task[k], name, sizeof name);
        if (!(w->seconds[k] > 0 && w->seconds[k] < 1e9)) {
            code = wrong(w, id_of(w->task[k]),
                         isnan(w->seconds[k]) ? "it has no runtime"
                         : w->seconds[k] == 0 ? "a runtime of zero"
                                              : "a runtime that cannot be");
            break;
        }
        struct orr_dag_task *t = orr_dag_task(w->d, name, NULL);
        if (!t) {
            code = CLI_MEMORY;
            break;
        }
        t->kind = ORR_DAG_CPU;
        t->where = 1u << ORR_DAG_CPU;
        t->t[ORR_DAG_CPU] = 1e6 * w->seconds[k];
        code = put_files(w, w->task[k]);
    }
    free(order);
    return code;
}

static int read_workflow(struct wf *w, const json_value *root, graph_found *found)
{
    const json_value *flow = json_member(root, "workflow");
    const json_value *spec = json_member(flow, "specification");
    const json_value *tasks = list_of(spec ? spec : flow, "tasks");
    if (!tasks)
        return wrong(w, NULL, "no workflow with tasks: not a WfFormat file");
    int code = read_names(w, tasks);
    if (code == CLI_OK)
        code = read_times(w, list_of(json_member(flow, "execution"), "tasks"));
    for (const json_value *f = list_of(spec, "files"); f && code == CLI_OK; f = f->next)
        code = id_of(f) ? set_size(w, f, id_of(f)) : wrong(w, NULL, "a file without id");
    if (code == CLI_OK)
        code = read_parents(w);
    if (code == CLI_OK)
        code = sort_tasks(w);
    if (code == CLI_OK)
        code = put_tasks(w);
    for (size_t p = 0; code == CLI_OK && p < w->pairs; p++)
        for (int k = 0; k < 2; k++)
            w->pair[p][k] = (uint32_t)w->place[w->pair[p][k]];
    if (code == CLI_OK && !graph_add_edges(w->d, (const uint32_t(*)[2])w->pair, w->pairs, found))
        code = CLI_MEMORY;
    return code;
}

/* NULL: *code and the reason told. */
static char *read_file(const char *path, int *code)
{
    gzFile f = gzopen(path, "rb");
    size_t n = 0, room = 1 << 16;
    char *text = f ? malloc(room) : NULL;
    int got;
    while (text &&
           (got = gzread(f, text + n,
                         (unsigned)(room - n - 1 > 1 << 20 ? 1 << 20 : room - n - 1))) > 0) {
        n += (size_t)got;
        if (room - n < 2) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            text = more;
        }
    }
    int error = Z_OK;
    const char *why = f ? gzerror(f, &error) : NULL;
    if (text)
        text[n] = '\0';
    *code = f && !text ? CLI_MEMORY : CLI_FILE;
    if (!f || error == Z_ERRNO)
        cli_say("%s: cannot be read: %s", path, strerror(errno));
    else if (error)
        cli_say("%s: the compressed file is damaged (%s)", path, why);
    if (f)
        gzclose(f);
    if (!f || error) {
        free(text);
        return NULL;
    }
    return text;
}

/* The line of a place in the text. */
static size_t line_of(const char *text, size_t column)
{
    size_t line = 1;
    for (size_t k = 0; k + 1 < column && text[k]; k++)
        line += text[k] == '\n';
    return line;
}

int graph_import_wf(struct orr_dag *d, const char *path, graph_found *found)
{
    struct wf w = {.path = path, .d = d};
    json_text j;
    int code;
    char *text = read_file(path, &code);
    if (!text)
        return code;
    const json_value *root = json_read(&j, text);
    if (!root)
        cli_say("%s:%zu: %s", path, line_of(text, j.column), j.error);
    else
        code = read_workflow(&w, root, found);
    found->format = "wfformat";
    snprintf(d->host, sizeof d->host, "imported");
    d->workers[ORR_DAG_CPU] = 1; /* the file does not say how many tasks ran at once */
    json_free(&j);
    free(text);
    graph_words_free(&w.ids);
    graph_words_free(&w.files);
    free(w.task);
    free(w.seconds);
    free(w.place);
    free(w.data);
    free(w.bytes);
    free(w.pair);
    return code;
}
