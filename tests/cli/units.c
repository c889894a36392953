/* Numbers for people have no exponents, and the unit that fits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/cli/core/units.h"

static int failures;

static void same(const char *got, const char *wanted)
{
    if (strcmp(got, wanted)) {
        printf("'%s', not '%s'\n", got, wanted);
        failures++;
    }
}

int main(void)
{
    cli_units_text t;
    same(cli_units_digits(0, 2, t), "0");
    same(cli_units_digits(99.4, 2, t), "99");
    same(cli_units_digits(99.6, 2, t), "100");
    same(cli_units_digits(104.7, 2, t), "105");
    same(cli_units_digits(669900.4, 4, t), "669900");
    same(cli_units_digits(0.000010567, 4, t), "0.00001057");
    same(cli_units_digits(-0.5, 4, t), "-0.5");
    same(cli_units_bytes(96, t), "96 bytes");
    same(cli_units_bytes(1536, t), "1.5 KiB");
    same(cli_units_bytes(1e16, t), "8.882 PiB");
    same(cli_units_seconds(3.25e-7, t), "325 ns");
    same(cli_units_seconds(1.2406e-2, t), "12.41 ms");
    same(cli_units_seconds(2.5e-5, t), "25 us");
    same(cli_units_seconds(0, t), "0 ns");
    same(cli_units_seconds(299, t), "299 s");
    same(cli_units_seconds(600, t), "10 min");
    same(cli_units_seconds(15100, t), "251.7 min");
    same(cli_units_seconds(1e9, t), "277778 h");
    same(cli_units_seconds(NAN, t), "-");
    return failures > 0;
}
