/* Everything src/ may know about tasks: one insert function per codelet, and the request
 * they report to. No kernel is visible from here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_H
#define ORR_CODELETS_H

#include "codelets/hb2st.h"
#include "codelets/gb2bd.h"
#include "codelets/device.h"
#include "codelets/ge2gb.h"
#include "codelets/gesvd.h"
#include "codelets/gesvj.h"
#include "codelets/he2hb.h"
#include "codelets/heev.h"
#include "codelets/hegv.h"
#include "codelets/heevj.h"
#include "codelets/powm.h"
#include "codelets/plan.h"
#include "codelets/request.h"

#endif
