/* BODY once per type. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/as_s.h"
#include BODY
#include "kernels/as_d.h"
#include BODY
#include "kernels/as_c.h"
#include BODY
#include "kernels/as_z.h"
#include BODY
