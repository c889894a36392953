/* The original of a routine: what the dynamic linker would have given the caller without this
 * library. Where LAPACK came with a module that was loaded by itself, as in Python, that is not
 * among the global symbols (RTLD_NEXT finds nothing), but it is among those of the caller.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr, dl_iterate_phdr */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

/* Fortran's arguments, and the lengths of strings after them. Who calls with more than a function
 * takes does no harm on Linux: callers remove what they pass. */
typedef void routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *);

static _Atomic(void *) found[ORR_MOST_ROUTINES][ORR_NFORMS];

/* Not our own, nor one that only looks so, nor that of libblastrampoline, Julia's BLAS: it may
 * forward to ours. */
static void *other(void *symbol)
{
    Dl_info theirs, ours;
    if (!symbol || !dladdr(symbol, &theirs) || !dladdr((const void *)found, &ours))
        return NULL;
    return theirs.dli_fbase != ours.dli_fbase && !strstr(theirs.dli_fname, "libblastrampoline")
               ? symbol
               : NULL;
}

static void *in_object(const char *path, const char *name)
{
    void *handle = path && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!handle)
        return NULL;
    void *symbol = other(dlsym(handle, name));
    dlclose(handle); /* it stays loaded, as it was */
    return symbol;
}

static void *near_caller(const void *caller, const char *name)
{
    Dl_info info;
    return dladdr(caller, &info) ? in_object(info.dli_fname, name) : NULL;
}

struct search {
    char *path[1024];
    int count;
};

static int note(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;
    (void)size;
    if (info->dlpi_name && info->dlpi_name[0] && s->count < (int)(sizeof s->path / sizeof *s->path))
        s->path[s->count++] = strdup(info->dlpi_name);
    return 0;
}

static void *anywhere(const char *name)
{
    struct search s = {.count = 0};
    void *symbol = NULL;
    dl_iterate_phdr(note, &s);
    for (int k = 0; k < s.count; k++) {
        if (!symbol)
            symbol = in_object(s.path[k], name);
        free(s.path[k]);
    }
    return symbol;
}

/* A program that is linked with this library alone. */
static void *in_system(const char *name)
{
    void *handle = dlopen("liblapack.so.3", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
    return handle ? other(dlsym(handle, name)) : NULL;
}

static void *find(const struct orr_call *c, const char *name)
{
    void *symbol = other(dlsym(RTLD_NEXT, name));
    if (!symbol)
        symbol = near_caller(c->caller, name);
    if (!symbol)
        symbol = anywhere(name);
    if (!symbol && c->form == ORR_PLAIN)
        symbol = in_system(name);
    return symbol;
}

void orr_original(const struct orr_call *c, void **arg)
{
    _Atomic(void *) *known = &found[c->id][c->form];
    void *symbol = atomic_load_explicit(known, memory_order_acquire);
    if (!symbol) {
        char name[40];
        orr_name(c->routine, c->form, name);
        symbol = find(c, name);
        if (!symbol) {
            fprintf(stderr, "orrery: symbol lookup error: %s: no LAPACK has it\n", name);
            _Exit(127);
        }
        atomic_store_explicit(known, symbol, memory_order_release);
    }
    void *a[ORR_MOST_ARGS + ORR_MOST_STRINGS] = {NULL};
    memcpy(a, arg, (size_t)c->routine->args * sizeof *a);
    for (int k = 0; k < c->routine->strings; k++)
        a[c->routine->args + k] = (void *)(uintptr_t)1;
    routine *call;
    memcpy(&call, &symbol, sizeof call);
    call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
         a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26]);
}
