/* The routines that liborrery_lapack exports, in four forms each: name, type, family, arguments,
 * and how many of them are character strings.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_LAPACK_ROUTINES_H
#define ORR_LAPACK_ROUTINES_H

#define ORR_ROUTINES(R)                                                                            \
    R(ssyev, ORR_S, orr_args_syev, 9, 2)                                                           \
    R(dsyev, ORR_D, orr_args_syev, 9, 2)                                                           \
    R(cheev, ORR_C, orr_args_heev, 10, 2)                                                          \
    R(zheev, ORR_Z, orr_args_heev, 10, 2)                                                          \
    R(ssyevd, ORR_S, orr_args_syevd, 11, 2)                                                        \
    R(dsyevd, ORR_D, orr_args_syevd, 11, 2)                                                        \
    R(cheevd, ORR_C, orr_args_heevd, 13, 2)                                                        \
    R(zheevd, ORR_Z, orr_args_heevd, 13, 2)                                                        \
    R(ssyevr, ORR_S, orr_args_syevr, 21, 3)                                                        \
    R(dsyevr, ORR_D, orr_args_syevr, 21, 3)                                                        \
    R(cheevr, ORR_C, orr_args_heevr, 23, 3)                                                        \
    R(zheevr, ORR_Z, orr_args_heevr, 23, 3)                                                        \
    R(ssyevx, ORR_S, orr_args_syevx, 20, 3)                                                        \
    R(dsyevx, ORR_D, orr_args_syevx, 20, 3)                                                        \
    R(cheevx, ORR_C, orr_args_heevx, 21, 3)                                                        \
    R(zheevx, ORR_Z, orr_args_heevx, 21, 3)                                                        \
    R(ssygv, ORR_S, orr_args_sygv, 12, 2)                                                          \
    R(dsygv, ORR_D, orr_args_sygv, 12, 2)                                                          \
    R(chegv, ORR_C, orr_args_hegv, 13, 2)                                                          \
    R(zhegv, ORR_Z, orr_args_hegv, 13, 2)                                                          \
    R(ssygvd, ORR_S, orr_args_sygvd, 14, 2)                                                        \
    R(dsygvd, ORR_D, orr_args_sygvd, 14, 2)                                                        \
    R(chegvd, ORR_C, orr_args_hegvd, 16, 2)                                                        \
    R(zhegvd, ORR_Z, orr_args_hegvd, 16, 2)                                                        \
    R(ssygvx, ORR_S, orr_args_sygvx, 23, 3)                                                        \
    R(dsygvx, ORR_D, orr_args_sygvx, 23, 3)                                                        \
    R(chegvx, ORR_C, orr_args_hegvx, 24, 3)                                                        \
    R(zhegvx, ORR_Z, orr_args_hegvx, 24, 3)                                                        \
    R(sgesvd, ORR_S, orr_args_gesvd_real, 14, 2)                                                   \
    R(dgesvd, ORR_D, orr_args_gesvd_real, 14, 2)                                                   \
    R(cgesvd, ORR_C, orr_args_gesvd_complex, 15, 2)                                                \
    R(zgesvd, ORR_Z, orr_args_gesvd_complex, 15, 2)                                                \
    R(sgesdd, ORR_S, orr_args_gesdd_real, 14, 1)                                                   \
    R(dgesdd, ORR_D, orr_args_gesdd_real, 14, 1)                                                   \
    R(cgesdd, ORR_C, orr_args_gesdd_complex, 15, 1)                                                \
    R(zgesdd, ORR_Z, orr_args_gesdd_complex, 15, 1)                                                \
    R(ssbev, ORR_S, orr_args_sbev, 11, 2)                                                          \
    R(dsbev, ORR_D, orr_args_sbev, 11, 2)                                                          \
    R(chbev, ORR_C, orr_args_sbev, 12, 2)                                                          \
    R(zhbev, ORR_Z, orr_args_sbev, 12, 2)                                                          \
    R(ssbevd, ORR_S, orr_args_sbevd, 14, 2)                                                        \
    R(dsbevd, ORR_D, orr_args_sbevd, 14, 2)                                                        \
    R(chbevd, ORR_C, orr_args_hbevd, 16, 2)                                                        \
    R(zhbevd, ORR_Z, orr_args_hbevd, 16, 2)                                                        \
    R(ssbevx, ORR_S, orr_args_sbevx, 22, 3)                                                        \
    R(dsbevx, ORR_D, orr_args_sbevx, 22, 3)                                                        \
    R(chbevx, ORR_C, orr_args_sbevx, 23, 3)                                                        \
    R(zhbevx, ORR_Z, orr_args_sbevx, 23, 3)                                                        \
    R(ssbtrd, ORR_S, orr_args_sbtrd, 12, 2)                                                        \
    R(dsbtrd, ORR_D, orr_args_sbtrd, 12, 2)                                                        \
    R(chbtrd, ORR_C, orr_args_sbtrd, 12, 2)                                                        \
    R(zhbtrd, ORR_Z, orr_args_sbtrd, 12, 2)                                                        \
    R(sgbbrd, ORR_S, orr_args_gbbrd, 18, 1)                                                        \
    R(dgbbrd, ORR_D, orr_args_gbbrd, 18, 1)                                                        \
    R(cgbbrd, ORR_C, orr_args_gbbrd, 19, 1)                                                        \
    R(zgbbrd, ORR_Z, orr_args_gbbrd, 19, 1)                                                        \
    R(ssterf, ORR_S, orr_args_sterf, 4, 0)                                                         \
    R(dsterf, ORR_D, orr_args_sterf, 4, 0)                                                         \
    R(sstev, ORR_S, orr_args_stev, 8, 1)                                                           \
    R(dstev, ORR_D, orr_args_stev, 8, 1)                                                           \
    R(sstevd, ORR_S, orr_args_stevd, 11, 1)                                                        \
    R(dstevd, ORR_D, orr_args_stevd, 11, 1)

#endif
