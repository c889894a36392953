/* See pages.h. As a driver does, this keeps exact ranges: two arrays may share a page, and a copy
 * from memory that is locked in part is refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pages.h"

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>

#include "vgpu.h"

namespace vgpu
{

namespace
{

struct range {
    size_t bytes;
    bool allocated;
};
std::map<char *, range> locked;

/* What the program has locked, again: free() is called by everybody, also with the lock held. */
constexpr int most_shown = 256;
struct {
    std::atomic<uintptr_t> from, end;
} shown[most_shown];

void show(const void *p, size_t bytes)
{
    for (auto &s : shown) {
        uintptr_t none = 0;
        if (!s.from.load() && s.from.compare_exchange_strong(none, (uintptr_t)p)) {
            s.end = (uintptr_t)p + bytes;
            return;
        }
    }
}

void hide(const void *p)
{
    for (auto &s : shown)
        if (s.from.load() == (uintptr_t)p) {
            s.end = 0;
            s.from = 0;
            return;
        }
}

bool can_be_written(const char *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p, from, end;
    char rights[8], line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && at < (uintptr_t)p + bytes && fgets(line, sizeof line, f))
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &from, &end, rights) == 3 && from <= at &&
            at < end) {
            if (rights[1] != 'w')
                break;
            at = end;
        }
    if (f)
        fclose(f);
    return at >= (uintptr_t)p + bytes;
}

} // namespace

held is_locked(const void *p, size_t bytes)
{
    const char *at = (const char *)p, *const end = at + bytes;
    size_t have = 0;
    auto it = locked.upper_bound((char *)p);
    if (it != locked.begin())
        --it;
    for (; it != locked.end() && it->first < end; ++it) {
        const char *const from = it->first > at ? it->first : at;
        const char *const upto =
            it->first + it->second.bytes < end ? it->first + it->second.bytes : end;
        have += upto > from ? (size_t)(upto - from) : 0;
    }
    return have == 0 ? held::not_at_all : have < bytes ? held::in_part : held::whole;
}

cudaError_t lock_pages(void *p, size_t bytes)
{
    if (!p || !bytes || !can_be_written((char *)p, bytes))
        return cudaErrorInvalidValue;
    if (is_locked(p, bytes) != held::not_at_all)
        return cudaErrorHostMemoryAlreadyRegistered;
    locked[(char *)p] = {bytes, false};
    show(p, bytes);
    return cudaSuccess;
}

cudaError_t unlock_pages(void *p)
{
    const auto it = locked.find((char *)p);
    if (it == locked.end())
        return cudaErrorHostMemoryNotRegistered;
    if (it->second.allocated)
        return cudaErrorInvalidValue;
    hide(p);
    locked.erase(it);
    return cudaSuccess;
}

void note_allocated(void *p, size_t bytes) { locked[(char *)p] = {bytes ? bytes : 1, true}; }

bool forget_allocated(void *p)
{
    const auto it = locked.find((char *)p);
    if (it == locked.end() || !it->second.allocated)
        return false;
    locked.erase(it);
    return true;
}

void look_for_left_pages()
{
    for (const auto &l : locked)
        if (!l.second.allocated)
            vgpu_defect("%zu bytes at %p are page-locked for ever", l.second.bytes,
                        (void *)l.first);
}

} // namespace vgpu

extern "C" void vgpu_freed(const void *p, size_t bytes)
{
    for (const auto &s : vgpu::shown)
        if (s.from.load() < (uintptr_t)p + bytes && (uintptr_t)p < s.end.load())
            vgpu_defect("%zu bytes at %p are freed, and they are page-locked", bytes, p);
}
