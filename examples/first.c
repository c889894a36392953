/* The shortest complete program: eigenvalues and eigenvectors of a batch of Hermitian
 * matrices. Build: cc first.c $(pkg-config --cflags --libs orrery)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <orrery/orrery.h>
#include <stdio.h>

int main(void)
{
    double a[2][4] = {{2, 1, 1, 2}, {0, 3, 3, 8}}; /* two symmetric 2 x 2 matrices */
    double w[2][2];                                /* their eigenvalues */
    orr_batch A = {.type = ORR_D, .batch = 2, .m = 2, .n = 2, .a = a};
    orr_batch W = {.type = ORR_D, .batch = 2, .m = 2, .n = 1, .a = w};
    orr_context *ctx;
    orr_status st = orr_open(NULL, &ctx);
    if (st == ORR_OK) {
        st = orr_heevj(ctx, &A, &W, NULL, NULL, NULL); /* a becomes the eigenvectors */
        orr_close(ctx);
    }
    for (int k = 0; k < 2 && st == ORR_OK; k++)
        printf("matrix %d: %g %g\n", k, w[k][0], w[k][1]);
    return st == ORR_OK ? 0 : (fprintf(stderr, "%s\n", orr_strerror(st)), 1);
}
