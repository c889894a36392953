/* core_distance: nanoseconds in which a store of one core is seen by another and answered, between the first two cores
 * that this process may use. Cores of a virtual machine can be moved by its host into one core complex or two, and
 * graphs of short tasks then take another time: a measurement of such a graph tells what it was.
 *
 * The least of some hundred-microsecond tries counts, since other programs can only prolong them. Exit code 77 with
 * one core.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "measure.h"

enum { TRIPS = 300, TRIES = 40 };

static _Atomic int ball; /* odd: for the other core to answer */

static void stay_on(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *answer(void *core)
{
    stay_on(*(const int *)core);
    for (int k = 0; k < TRIPS * TRIES; k++) {
        while (atomic_load_explicit(&ball, memory_order_acquire) != 2 * k + 1)
            ;
        atomic_store_explicit(&ball, 2 * k + 2, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    int core[2], found = 0;
    cpu_set_t mine;
    pthread_t other;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        for (int k = 0; k < CPU_SETSIZE && found < 2; k++)
            if (CPU_ISSET(k, &mine))
                core[found++] = k;
    if (found < 2) {
        fprintf(stderr, "core_distance: there is one core\n");
        return 77;
    }
    if (pthread_create(&other, NULL, answer, &core[1]) != 0)
        return 6;
    stay_on(core[0]);
    double least = 1e9;
    for (int try = 0, k = 0; try < TRIES; try++) {
        const double begin = now();
        for (int trip = 0; trip < TRIPS; trip++, k++) {
            atomic_store_explicit(&ball, 2 * k + 1, memory_order_release);
            while (atomic_load_explicit(&ball, memory_order_acquire) != 2 * k + 2)
                ;
        }
        const double seconds = (now() - begin) / TRIPS;
        least = seconds < least ? seconds : least;
    }
    pthread_join(other, NULL);
    printf("%.0f\n", 1e9 * least);
    return 0;
}
