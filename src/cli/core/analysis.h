/* What a run was like (orrery/trace.h), for the record and for people.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_ANALYSIS_H
#define ORR_CLI_ANALYSIS_H

#include <orrery/trace.h>

#include "src/cli/core/text.h"

/* The values of "bound" and "trace" in a record: objects; all null if there is no analysis. */
void cli_put_bound(cli_text *, const orr_analysis *); /* NULL: none */
void cli_put_trace(cli_text *, const orr_analysis *);
/* The same for people, several lines on stderr. */
void cli_say_analysis(const orr_analysis *);

#endif
