/* libFuzzer: bytes as a model file of StarPU. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "files.h"
#include "orrery/models.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char message[ORR_MESSAGE] = "";
    orr_model m;
    const orr_status st = orr_model_read(fuzz_save("model.host", data, n), &m, message);
    if (st != ORR_OK && (m.part || !message[0]))
        abort();
    for (int64_t k = 0; st == ORR_OK && k < m.parts; k++) {
        const orr_model_part *p = &m.part[k];
        if ((unsigned)p->kind >= ORR_NKINDS || p->impl < 0 || p->impl >= 16)
            abort();
        for (int64_t i = 0; i < p->entries; i++)
            if (!(p->entry[i].mean >= 0) ||
                isnan(orr_model_predict(p, p->entry[i].size, p->entry[i].key)))
                abort();
        orr_model_predict(p, 1000, 12345);
    }
    orr_model_free(&m);
    return 0;
}
