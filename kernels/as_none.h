/* Forget the scalar type of the last as_?.h. SPDX-License-Identifier: BSD-3-Clause */
#undef T
#undef R
#undef FN
#undef CONJ
#undef REAL
#undef IMAG
#undef ABS
#undef RABS
#undef SQRT
#undef EPS
#undef SAFMIN
#undef IS_COMPLEX
