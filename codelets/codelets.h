/* Everything src/ may know about tasks: one insert function per codelet, and the request
 * they report to. No kernel is visible from here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_H
#define ORR_CODELETS_H

#include "codelets/band/hb2st.h"
#include "codelets/band/gb2bd.h"
#include "codelets/core/device.h"
#include "codelets/dense/ge2gb.h"
#include "codelets/dense/gesvd.h"
#include "codelets/gesvj/gesvj.h"
#include "codelets/dense/he2hb.h"
#include "codelets/dense/heev.h"
#include "codelets/dense/hegv.h"
#include "codelets/heevj/heevj.h"
#include "codelets/sparse/powm.h"
#include "codelets/core/plan.h"
#include "codelets/core/request.h"

#endif
