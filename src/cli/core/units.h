/* Numbers for people: a few digits, a unit that fits, no exponents.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_UNITS_H
#define ORR_CLI_UNITS_H

typedef char cli_units_text[32];

/* "0.3251", "12.4", "66599": at most so many digits, but all those before the point. */
const char *cli_units_digits(double x, int digits, cli_units_text);
const char *cli_units_bytes(double bytes, cli_units_text);     /* "71.9 MiB" */
const char *cli_units_seconds(double seconds, cli_units_text); /* "325 ns", "12.41 us", "4.2 h" */

#endif
