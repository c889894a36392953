/* Roots of secular equations, for heev_merge and gesvd_merge.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_SECULAR_H
#define ORR_CPU_SECULAR_H

#include <stdint.h>

/* Root j, from 0, between pole[j] and pole[j+1], of
 *
 *     1/rho + sum over i of z[i]^2 / (pole[i] - x) = 0        k poles, ascending; j < k - 1
 *
 * delta[i] = pole[i] - x, each to a few roundings of its own; *value = x; part[i] times
 * delta[i] / (pole[i] - pole[j]), part[j] times delta[j]. Returns 0, and changes nothing, if it did not
 * converge. */
int orr_secular_s(int64_t k, int64_t j, const float *pole, const float *z, float rho, float *delta,
                  float *value, float *part);
int orr_secular_d(int64_t k, int64_t j, const double *pole, const double *z, double rho,
                  double *delta, double *value, double *part);

/* The same of 1/rho + sum over i of z[i]^2 / (pole[i]^2 - x^2) = 0; poles are not negative. minus[i] =
 * pole[i] - x and plus[i] = pole[i] + x; part[i] times minus[i] plus[i] / (pole[i]^2 - p^2), where p
 * is pole[j+1] up to i = j, and pole[j] from there on. */
int orr_secular_squares_s(int64_t k, int64_t j, const float *pole, const float *z, float rho,
                          float *minus, float *plus, float *value, float *part);
int orr_secular_squares_d(int64_t k, int64_t j, const double *pole, const double *z, double rho,
                          double *minus, double *plus, double *value, double *part);

#endif
