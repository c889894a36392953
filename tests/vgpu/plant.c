/* Models of the updates of heev's and gesvd's first stage, double precision, that somebody made up:
 * device k takes so many microseconds.   plant DIRECTORY HOST MICROSECONDS...
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "check.h"
#include "orrery/models.h"

enum { RUNS = 12, SHAPES = 2, MOST = 8 };

int main(int argc, char **argv)
{
    static const char *const name[] = {"he2hb_update_d", "ge2gb_update_d"};
    static orr_sample sample[2 * SHAPES * MOST * RUNS];
    char message[ORR_MESSAGE] = "";
    size_t count = 0;
    orr_models models;
    if (argc < 4 || argc - 3 > MOST)
        return 2;
    for (int k = 0; k < 2 * SHAPES * (argc - 3) * RUNS; k++) {
        const int device = k / (2 * SHAPES * RUNS), shape = k / 2 % SHAPES + 1;
        sample[count++] = (orr_sample){.model = name[k % 2],
                                       .cores = 1,
                                       .kind = ORR_KIND_CUDA,
                                       .device = device,
                                       .key = (uint32_t)shape,
                                       .size = 1000.0 * shape,
                                       .us = shape * atof(argv[3 + device])};
    }
    CHECK(orr_models_make(sample, count, &models) == ORR_OK &&
              orr_models_write(argv[1], argv[2], &models, message) == ORR_OK,
          "models: %s", message);
    orr_models_free(&models);
    return failures != 0;
}
