/* See operation.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/operation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/core/internal.h"

const char *orr_why(orr_status st)
{
    return st == ORR_E_NOWORKER && orr_forked()
               ? "this process was forked while StarPU ran, whose workers stayed with the parent"
               : orr_strerror(st);
}

orr_status orr_refused(orr_status st, const char *who, const char *why, orr_report *report)
{
    if (report) {
        *report = (orr_report){.status = st, .culprit = who, .index = -1};
        snprintf(report->message, sizeof report->message, "%s", why ? why : orr_why(st));
    }
    return st;
}

struct orr_call orr_call_enter(orr_context *ctx, const char *who)
{
    return (struct orr_call){.ctx = ctx, .who = who, .entered = orr_context_entered(ctx), .index = -1};
}

struct orr_call orr_call_enter_and_wait(orr_context *ctx, const char *who)
{
    struct orr_call call = orr_call_enter(ctx, who);
    call.waits = 1;
    return call;
}

orr_status orr_call_refuse(struct orr_call *call, orr_status st, int64_t index, const char *format, ...)
{
    call->status = st;
    call->index = index;
    if (format) {
        va_list words;
        va_start(words, format);
        vsnprintf(call->message, sizeof call->message, format, words);
        va_end(words);
    } else {
        snprintf(call->message, sizeof call->message, "%s", orr_why(st));
    }
    return st;
}

int orr_call_refused(struct orr_call *call, const void *out, const char *wrong)
{
    if (!call->ctx || !out)
        wrong = call->ctx ? "no place for the request" : "the context is NULL";
    if (wrong)
        orr_call_refuse(call, ORR_E_ARG, -1, "%s", wrong);
    else if (orr_forked())
        orr_call_refuse(call, ORR_E_NOWORKER, -1, NULL);
    return call->status != ORR_OK;
}

void *orr_call_begin(struct orr_call *call, size_t size, orr_status (*finish)(orr_request *),
                     orr_request **out)
{
    void *state = calloc(1, size);
    orr_request *req = state ? orr_context_request(call->ctx, call->entered) : NULL;
    if (!req) {
        free(state);
        orr_call_refuse(call, ORR_E_NOMEM, -1, NULL);
        return NULL;
    }
    req->finish = finish;
    req->state = state;
    *out = req;
    return state;
}

orr_status orr_call_end(const struct orr_call *call, orr_status st, orr_request *const *req,
                        orr_report *report)
{
    if (st == ORR_OK)
        return orr_wait(*req, report);
    orr_refused(st, call->who, call->message[0] ? call->message : NULL, report);
    if (report)
        report->index = call->index;
    return st;
}
