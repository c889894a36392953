/* The band of gb2bd from and to the user's arrays; see kernels/gb2bd.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gb2bd.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "gb2bd_half.h"

#include "kernels/as_s.h"
#define S      R
#define GET(x) (x)
#define PUT(x) ((S)(x))
#define PARTS  1
#include "gb2bd_band.inc.c"

#include "kernels/as_d.h"
#define S      R
#define GET(x) (x)
#define PUT(x) ((S)(x))
#define PARTS  1
#include "gb2bd_band.inc.c"

#include "kernels/as_c.h"
#define S      R
#define GET(x) (x)
#define PUT(x) ((S)(x))
#define PARTS  2
#include "gb2bd_band.inc.c"

#include "kernels/as_z.h"
#define S      R
#define GET(x) (x)
#define PUT(x) ((S)(x))
#define PARTS  2
#include "gb2bd_band.inc.c"

#include "kernels/as_h.h"
#define S      T
#define GET(x) orr_half_to_float(x)
#define PUT(x) orr_float_to_half((float)(x))
#define PARTS  1
#include "gb2bd_band.inc.c"

orr_gb2bd_screen_fn *const orr_gb2bd_screen_cpu[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_screen_cpu_s, orr_gb2bd_screen_cpu_d, orr_gb2bd_screen_cpu_c,
    orr_gb2bd_screen_cpu_z, orr_gb2bd_screen_cpu_h,
};
orr_gb2bd_load_fn *const orr_gb2bd_load_cpu[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_load_cpu_s, orr_gb2bd_load_cpu_d, orr_gb2bd_load_cpu_c,
    orr_gb2bd_load_cpu_z, orr_gb2bd_load_cpu_h,
};
orr_gb2bd_store_fn *const orr_gb2bd_store_cpu[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_store_cpu_s, orr_gb2bd_store_cpu_d, orr_gb2bd_store_cpu_c,
    orr_gb2bd_store_cpu_z, orr_gb2bd_store_cpu_h,
};
