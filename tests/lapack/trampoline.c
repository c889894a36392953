/* As much of libblastrampoline, Julia's BLAS, as trampolined.c needs: LAPACK's name, forwarded to
 * whatever was set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define API __attribute__((visibility("default")))

typedef void routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *);
static routine *to;

API void trampoline_set(routine *);
API void dsyevd_64_(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                    void *);

void trampoline_set(routine *address) { to = address; }

void dsyevd_64_(void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i,
                void *j, void *k)
{
    to(a, b, c, d, e, f, g, h, i, j, k);
}
