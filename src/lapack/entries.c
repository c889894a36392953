/* The exported names, four for each routine, with as many arguments as LAPACK's. The lengths of
 * strings, which callers in C leave out, are not looked at.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/routines.h"
#include "src/lapack/shim.h"

#define ID(name, type, family, args, strings) ID_##name,
enum { ORR_ROUTINES(ID) ORR_NROUTINES };
#undef ID

#define ROW(name, type, family, args, strings) {#name, type, &family, args, strings},
static const struct orr_routine routines[] = {ORR_ROUTINES(ROW)};
#undef ROW

/* Parameters and names of so many pointers. */
#define P4  void *p0, void *p1, void *p2, void *p3
#define P8  P4, void *p4, void *p5, void *p6, void *p7
#define P9  P8, void *p8
#define P10 P9, void *p9
#define P11 P10, void *p10
#define P12 P11, void *p11
#define P13 P12, void *p12
#define P14 P13, void *p13
#define P15 P14, void *p14
#define P16 P15, void *p15
#define P18 P16, void *p16, void *p17
#define P19 P18, void *p18
#define P20 P19, void *p19
#define P21 P20, void *p20
#define P22 P21, void *p21
#define P23 P22, void *p22
#define P24 P23, void *p23
#define A4  p0, p1, p2, p3
#define A8  A4, p4, p5, p6, p7
#define A9  A8, p8
#define A10 A9, p9
#define A11 A10, p10
#define A12 A11, p11
#define A13 A12, p12
#define A14 A13, p13
#define A15 A14, p14
#define A16 A15, p15
#define A18 A16, p16, p17
#define A19 A18, p18
#define A20 A19, p19
#define A21 A20, p20
#define A22 A21, p21
#define A23 A22, p22
#define A24 A23, p23

#define BODY(name, form, args)                                                                     \
    {                                                                                              \
        orr_lapack(&routines[ID_##name], ID_##name, form, __builtin_return_address(0),             \
                   (void *[]){A##args});                                                           \
    }
#define ENTRY(symbol, name, form, args)                                                            \
    ORR_API void symbol(P##args);                                                                  \
    ORR_API void symbol(P##args) BODY(name, form, args)

#define FORMS(name, type, family, args, strings)                                                   \
    ENTRY(name##_, name, ORR_PLAIN, args)                                                          \
    ENTRY(name##_64_, name, ORR_PLAIN_64, args)                                                    \
    ENTRY(scipy_##name##_, name, ORR_SCIPY, args)                                                  \
    ENTRY(scipy_##name##_64_, name, ORR_SCIPY_64, args)

ORR_ROUTINES(FORMS)
