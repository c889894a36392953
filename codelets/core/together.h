/* A loop over memory in the calling thread and some more, for what comes before a request has tasks,
 * when workers may be asleep. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TOGETHER_H
#define ORR_TOGETHER_H

#include <stdint.h>

/* work(arg, i) for i = 0 .. count-1, in any order, by as many threads as there are CPU workers; fewer
 * where there are no threads to be had, one where `bytes`, which all of them touch, are few. */
void orr_together(int64_t count, double bytes, void (*work)(void *arg, int64_t i), void *arg);

#endif
