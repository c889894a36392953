/* Orders that were measured on a machine: files MACHINE.SUFFIX where models of machines are looked
 * for (`orrery calibrate lapack`, `orrery calibrate methods`).
 *
 *     format = 1
 *     cpu = ...                 what must be equal here
 *     cores = 2
 *     devices = 0
 *     dsyevd N = 1000           a key of several words, and the order
 *     dsyevd V = >1500          or up to which one it was not found
 *
 * Other keys of one word are for readers. A file that is malformed is told and passed over, one of
 * another machine is passed over.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_MODELS_ORDERS_H
#define ORR_MODELS_ORDERS_H

#include <stddef.h>
#include <stdint.h>

enum { ORR_MOST_ORDERS = 320, ORR_ORDER_KEY = 32, ORR_ORDERS_WRONG = 96 };

typedef struct {
    int count;
    struct {
        char key[ORR_ORDER_KEY];
        int64_t order;
        int beyond; /* ">": more than this */
    } line[ORR_MOST_ORDERS];
    char wrong[ORR_ORDERS_WRONG]; /* the first malformed file, "NAME:LINE: reason"; printable */
} orr_orders;

/* wrong: returns NULL, or what is wrong with a key of several words. say, if not NULL, is told of
 * each malformed file. Returns whether there is a file of this machine; its path is stored. */
int orr_orders_find(const char *suffix, const char *(*wrong)(const char *key),
                    void (*say)(const char *path, int line, const char *reason), orr_orders *,
                    char *path, size_t room);
/* The order of this key, or 0; *beyond: it has ">". Of two lines the last counts. */
int64_t orr_orders_of(const orr_orders *, const char *key, int *beyond);

#endif
