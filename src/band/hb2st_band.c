/* What a caller of hb2st or hbev hands over: whether it is a band, what its entries say, and what else is asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/hb2st.h"
#include "src/core/operation.h"

const char *orr_hb2st_wrong_band(orr_type type, char uplo, int64_t n, int64_t b, const void *ab,
                                 int64_t ldab)
{
    if ((int)type < 0 || type >= ORR_NTYPES)
        return "the type is none of s, d, c, z";
    if (uplo != 'L' && uplo != 'U')
        return "uplo is not 'L' or 'U'";
    if (n < 0 || b < 0)
        return "n or b is negative";
    if (n > 0 ? b >= n : b > 0)
        return "the bandwidth b is not less than n";
    if (ldab < b + 1)
        return "ldab is less than b + 1";
    if (n > INT32_MAX || ldab > INT64_MAX / 16 / (n > 0 ? n : 1))
        return "the band is larger than the address space";
    return n > 0 && !ab ? "ab is NULL" : NULL;
}

const char *orr_hb2st_wrong(orr_type type, char uplo, int64_t n, int64_t b, const void *ab,
                            int64_t ldab, const void *d, const void *e, const orr_hb2st_opts *o)
{
    const char *wrong = orr_hb2st_wrong_band(type, uplo, n, b, ab, ldab);
    if (wrong)
        return wrong;
    if (n > 0 && !d)
        return "d is NULL";
    if (n > 1 && !e)
        return "e is NULL";
    if (o->vect && o->vect != 'N' && o->vect != 'Q' && o->vect != 'V')
        return "vect is not 'N', 'Q' or 'V'";
    if (o->vect == 'Q' && n > 0 && (!o->q || o->ldq < n || o->ldq > orr_product_most_ld()))
        return "vect 'Q' needs q with n <= ldq < 2^24";
    if (o->vect == 'V' && !o->factor)
        return "vect 'V' needs factor";
    if (o->D < 0 || o->G < 0)
        return "D or G is negative";
    if (o->tail < 0)
        return "tail is negative";
    if (o->split < 0)
        return "split is negative";
    if ((int)o->place < 0 || (o->place > ORR_PLACE_GPU && o->place != ORR_PLACE_SPLIT))
        return "no such place";
    return NULL;
}

/* The element of ab that has the entry found. */
static int64_t place_in(const struct orr_hb2st_band *u, const struct orr_hb2st_look *look)
{
    return look->column * u->ldab + (u->upper ? u->width : 0) + look->row - look->column;
}

int orr_hb2st_refused_entry(struct orr_call *call, orr_type type, int64_t n,
                            const struct orr_hb2st_band *user, struct orr_hb2st_look *look)
{
    *look = call->ctx->planner
                ? (struct orr_hb2st_look){.row = -1, .column = -1, .b = user->width, .scale = 1}
                : orr_hb2st_screen(type, n, user);
    if (look->column < 0)
        return 0;
    orr_call_refuse_entry(call, place_in(user, look), look->row, look->column);
    return 1;
}
