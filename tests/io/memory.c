/* Memory that is refused, once, at each place in turn: the status says so and not that a file is
 * bad, nothing is lost or leaked, and what was written before stays.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "tests/io/check.h"

/* The linker gives these instead of malloc and its like (see CMakeLists.txt). */
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
char *__wrap_strdup(const char *);

static int left = -1, refused; /* allocations before the one that is refused; -1: none is */

static int refuse(void)
{
    if (left < 0 || left-- > 0)
        return 0;
    return refused = 1;
}

void *__wrap_malloc(size_t n) { return refuse() ? (errno = ENOMEM, NULL) : __real_malloc(n); }
void *__wrap_realloc(void *p, size_t n)
{
    return refuse() ? (errno = ENOMEM, NULL) : __real_realloc(p, n);
}
void *__wrap_calloc(size_t n, size_t size)
{
    return refuse() ? (errno = ENOMEM, NULL) : __real_calloc(n, size);
}
char *__wrap_strdup(const char *s)
{
    char *copy = __wrap_malloc(strlen(s) + 1);
    return copy ? strcpy(copy, s) : NULL;
}

static const char *path;

static size_t load(char *to, size_t room)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(to, 1, room, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static orr_status write_npy(orr_io_error *e)
{
    const double x[] = {1, 2, 3};
    return orr_npy_write(path, ORR_D, 1, (int64_t[]){3}, 0, x, e);
}

static orr_status write_text(orr_io_error *e)
{
    const double x[] = {1, 2, 3};
    return orr_array_write(path, ORR_D, 1, (int64_t[]){3}, 0, x, e);
}

static orr_status read_npy(orr_io_error *e)
{
    orr_npy a;
    const orr_status s = orr_npy_read(path, 0, &a, e);
    orr_npy_free(&a);
    return s;
}

static orr_status read_table(orr_io_error *e)
{
    orr_npy a;
    const orr_status s = orr_table_read(path, 0, &a, e);
    orr_npy_free(&a);
    return s;
}

static orr_status read_mtx(orr_io_error *e)
{
    orr_mtx m;
    const orr_status s = orr_mtx_read(path, 0, NULL, NULL, &m, e);
    orr_mtx_free(&m);
    return s;
}

static orr_status read_edges(orr_io_error *e)
{
    orr_mtx m;
    const orr_status s = orr_edges_read(path, 0, NULL, NULL, &m, e);
    orr_mtx_free(&m);
    return s;
}

/* old[n]: what the file holds; a writer that fails leaves it. */
static void at_each_place(const char *what, orr_status (*call)(orr_io_error *), const char *old,
                          size_t n, int writes)
{
    int k = 0, failed = 0;
    for (refused = 1; refused; k++) {
        orr_io_error e = {0};
        char now[512];
        save(path, old, n);
        refused = 0;
        left = k;
        const orr_status s = call(&e);
        left = -1;
        /* without memory for the name of a directory a file with a name serves as well */
        CHECK(refused ? s == ORR_E_NOMEM || (writes && s == ORR_OK) : s == ORR_OK,
              "%s, allocation %d: status %d: %s", what, k, s, e.message);
        failed += s == ORR_E_NOMEM;
        CHECK((s == ORR_OK && writes) || (load(now, sizeof now) == n && memcmp(now, old, n) == 0),
              "%s, allocation %d: the file has changed", what, k);
    }
    CHECK(failed > 0, "%s asks for no memory", what);
    printf("%s: %d allocations, %d failures\n", what, k - 1, failed);
}

/* A matrix stored by columns, whose order is changed in other memory. Returns its bytes. */
static size_t by_columns(char to[512])
{
    static const char text[] = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }";
    memset(to, ' ', 128);
    memcpy(to, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(to + 10, text, sizeof text - 1);
    to[127] = '\n';
    memset(to + 128, 0, 32);
    return 160;
}

int main(void)
{
    static const char table[] = "1 2\n3 4\n", complex_table[] = "1 2\n3 4j\n",
                      edges[] = "0 1\n1 2 .5\n",
                      mtx[] =
                          "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 3\n";
    char name[128], npy[512];
    strcpy(name, temporary("a.npy"));
    path = name;
    at_each_place("npy_write", write_npy, "old", 3, 1);
    at_each_place("npy_read", read_npy, npy, load(npy, sizeof npy), 0); /* what was written last */
    at_each_place("npy_read, columns", read_npy, npy, by_columns(npy), 0);
    strcpy(name, temporary("a.txt"));
    at_each_place("array_write", write_text, "old", 3, 1);
    at_each_place("table_read", read_table, table, sizeof table - 1, 0);
    at_each_place("table_read, complex", read_table, complex_table, sizeof complex_table - 1, 0);
    at_each_place("edges_read", read_edges, edges, sizeof edges - 1, 0);
    strcpy(name, temporary("a.mtx"));
    at_each_place("mtx_read", read_mtx, mtx, sizeof mtx - 1, 0);
    return checked();
}
