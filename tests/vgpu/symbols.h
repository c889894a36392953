/* The symbols of a loaded program or library, static ones too, from its file: names for kernels
 * and the list of codelets (ELF, 64 bits).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_SYMBOLS_H
#define ORR_VGPU_SYMBOLS_H

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef void symbol_fn(const char *name, void *address, size_t bytes, int type, void *arg);

/* Of the object that holds the address `inside`. 0: it could not be read. */
static inline int for_each_symbol(const void *inside, symbol_fn *visit, void *arg)
{
    Dl_info info;
    struct stat st;
    if (!dladdr(inside, &info))
        return 0;
    int file = open(info.dli_fname, O_RDONLY);
    if (file < 0)
        file = open("/proc/self/exe", O_RDONLY);
    if (file < 0 || fstat(file, &st))
        return 0;
    const char *text =
        (const char *)mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (text == MAP_FAILED)
        return 0;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)text;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(text + head->e_shoff);
    int found = 0;
    for (int i = 0; i < head->e_shnum; i++) {
        if (section[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *s = (const Elf64_Sym *)(text + section[i].sh_offset);
        const char *names = text + section[section[i].sh_link].sh_offset;
        for (size_t k = 0; k < section[i].sh_size / sizeof *s; k++)
            if (s[k].st_shndx != SHN_UNDEF)
                visit(names + s[k].st_name, (char *)info.dli_fbase + s[k].st_value, s[k].st_size,
                      ELF64_ST_TYPE(s[k].st_info), arg);
        found = 1;
    }
    munmap((void *)text, (size_t)st.st_size);
    return found;
}

#endif
