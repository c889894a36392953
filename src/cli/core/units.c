/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *cli_units_digits(double x, int digits, cli_units_text text)
{
    const double size = fabs(x);
    if (size >= pow(10, digits) - 0.5)
        snprintf(text, sizeof(cli_units_text), "%.0f", x);
    else if (size < 1e-4 && size > 1e-20) /* where %g has exponents, too */
        snprintf(text, sizeof(cli_units_text), "%.*f", digits - 1 - (int)floor(log10(size)), x);
    else
        snprintf(text, sizeof(cli_units_text), "%.*g", digits, x);
    return text;
}

const char *cli_units_bytes(double bytes, cli_units_text text)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int k = 0;
    cli_units_text digits;
    for (; bytes >= 1024 && k < 5; k++)
        bytes /= 1024;
    snprintf(text, sizeof(cli_units_text), "%.24s %s", cli_units_digits(bytes, 4, digits), unit[k]);
    return text;
}

const char *cli_units_seconds(double seconds, cli_units_text text)
{
    static const struct {
        double below, unit; /* seconds */
        const char *name;
    } scale[] = {{1e-6, 1e-9, "ns"}, {1e-3, 1e-6, "us"}, {1, 1e-3, "ms"},
                 {300, 1, "s"},      {18000, 60, "min"}, {INFINITY, 3600, "h"}};
    cli_units_text digits;
    int k = 0;
    if (!isfinite(seconds))
        return strcpy(text, "-");
    while (k < 5 && seconds >= scale[k].below)
        k++;
    snprintf(text, sizeof(cli_units_text), "%.24s %s",
             cli_units_digits(seconds / scale[k].unit, 4, digits), scale[k].name);
    return text;
}
