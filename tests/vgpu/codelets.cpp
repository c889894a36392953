/* The CUDA functions of all codelets of a library, a line each:
 *   <codelet> <model> <implementation>      apart by tabs, as in VGPU_RECORD (record.h)
 * A codelet is what has the size of one and orr_can_execute in its place, so that none can be
 * forgotten.   codelets LIBRARY
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cstdio>
#include <cstring>

#include <starpu.h>

#include "symbols.h"

namespace
{

struct search {
    const void *can_execute;
    int found;
};

void remember(const char *name, void *address, size_t, int type, void *arg)
{
    if (type == STT_FUNC && !strcmp(name, "orr_can_execute"))
        ((search *)arg)->can_execute = address;
}

void tell(const starpu_codelet *cl)
{
    for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS && cl->cuda_funcs[i]; i++)
        printf("%s\t%s\t%u\n", cl->name, cl->model->symbol, i);
}

void look(const char *, void *address, size_t bytes, int type, void *arg)
{
    search *s = (search *)arg;
    if (type != STT_OBJECT || bytes % sizeof(starpu_codelet))
        return;
    const starpu_codelet *cl = (const starpu_codelet *)address;
    for (size_t i = 0; i < bytes / sizeof *cl; i++)
        if ((const void *)cl[i].can_execute == s->can_execute) {
            s->found++;
            tell(&cl[i]);
        }
}

} // namespace

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
    const void *inside = library ? dlsym(library, "orr_open") : nullptr;
    search s = {};
    if (!inside || !for_each_symbol(inside, remember, &s) || !s.can_execute ||
        !for_each_symbol(inside, look, &s) || !s.found) {
        fprintf(stderr, "codelets: %s\n",
                library || argc != 2 ? "no codelets were found" : dlerror());
        return 2;
    }
    return 0;
}
