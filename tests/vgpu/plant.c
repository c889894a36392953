/* Models, double precision, that somebody made up: of the updates of heev's and gesvd's first stage
 * and of the products of powm and pagerank. Device k takes so many microseconds for a thousand units
 * of work, a CPU a second.   plant DIRECTORY HOST MICROSECONDS...
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "orrery/models.h"

enum { RUNS = 12, SIZES = 5, NAMES = 5, MOST = 8 };

int main(int argc, char **argv)
{
    static const char *const name[NAMES] = {"he2hb_update_d", "ge2gb_update_d", "powm_spmv_d",
                                            "powm_residual_d", "pagerank_step_d"};
    static orr_sample sample[NAMES * SIZES * (MOST + 1) * RUNS];
    char message[ORR_MESSAGE] = "";
    size_t count = 0;
    orr_models models;
    const int devices = argc - 3;
    if (devices < 1 || devices > MOST)
        return 2;
    for (int k = 0; k < NAMES * SIZES * (devices + 1) * RUNS; k++) {
        const int device = k / (NAMES * SIZES * RUNS), cpu = device == devices;
        const int i = k / NAMES % SIZES + 1;
        const double size = 10 * pow(10, i); /* 100 .. 1e6 */
        sample[count++] = (orr_sample){.model = name[k % NAMES],
                                       .cores = 1,
                                       .kind = cpu ? ORR_KIND_CPU : ORR_KIND_CUDA,
                                       .device = cpu ? 0 : device,
                                       .key = (uint32_t)i,
                                       .size = size,
                                       .us = size / 1000 * (cpu ? 1e6 : atof(argv[3 + device]))};
    }
    CHECK(orr_models_make(sample, count, &models) == ORR_OK &&
              orr_models_write(argv[1], argv[2], &models, message) == ORR_OK,
          "models: %s", message);
    orr_models_free(&models);
    return failures != 0;
}
