/* Numbers in text are written and read with a point: StarPU's files, plans, traces. printf and scanf
 * look at the thread's locale, which may have a comma; StarPU then ends the process for a model
 * with points, and writes one with commas, for which it ends the next one.
 *
 *   const locale_t locale = orr_numbers_begin();
 *   ...
 *   orr_numbers_end(locale);
 *
 * The locale "C" is not allocated. Other threads keep theirs. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_NUMBERS_H
#define ORR_NUMBERS_H

#include <locale.h>

static inline locale_t orr_numbers_begin(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void orr_numbers_end(locale_t before) { uselocale(before); }

#endif
