/* Names and sizes of types, sentences for statuses. SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <stdio.h>

#include "src/core/internal.h"

const char *orr_version(void) { return ORR_VERSION; }

const char *orr_strerror(orr_status s)
{
    switch (s) {
    case ORR_OK: return "success";
    case ORR_E_ARG: return "an argument is invalid";
    case ORR_E_NOMEM: return "out of memory";
    case ORR_E_DEVICE: return "a CUDA or StarPU call failed";
    case ORR_E_NOWORKER:
        return "no worker can run a task of this operation: of its kind there is none, or the data do "
               "not fit into the memory of the devices";
    case ORR_E_FILE: return "a file cannot be read, is malformed, or cannot be written";
    case ORR_E_SCHED: return "no scheduling policy has this name";
    case ORR_E_NONFINITE: return "the matrix has NaN or infinite entries";
    case ORR_E_CANCELLED: return "the operation was cancelled";
    case ORR_E_DEFINITE: return "a matrix that has to be positive definite is not";
    case ORR_NOCONV: return "the iteration did not converge";
    case ORR_NONFINITE: return "the input has NaN or infinite entries";
    case ORR_RANGE: return "a result is beyond the range of its type";
    }
    return "unknown status";
}

static const struct {
    size_t size;
    orr_type real;
    double eps;
    char letter;
} types[] = {
    [ORR_S] = {4, ORR_S, FLT_EPSILON, 's'}, [ORR_D] = {8, ORR_D, DBL_EPSILON, 'd'},
    [ORR_C] = {8, ORR_S, FLT_EPSILON, 'c'}, [ORR_Z] = {16, ORR_D, DBL_EPSILON, 'z'},
    [ORR_H] = {2, ORR_H, 0x1p-10, 'h'},
};

static int known(orr_type t) { return (int)t >= 0 && t <= ORR_H; }

size_t orr_type_size(orr_type t) { return known(t) ? types[t].size : 0; }
orr_type orr_type_real(orr_type t) { return known(t) ? types[t].real : t; }
double orr_type_eps(orr_type t) { return known(t) ? types[t].eps : 0; }
char orr_type_letter(orr_type t) { return known(t) ? types[t].letter : '?'; }

int orr_type_parse(const char *s, orr_type *out)
{
    for (int t = 0; s && t <= ORR_H; t++)
        if (s[0] == types[t].letter && s[1] == 0) {
            *out = (orr_type)t;
            return 0;
        }
    return -1;
}
