/* See record.h. Everything with the lock held.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "symbols.h"
#include "vgpu.h"

namespace vgpu
{

namespace
{

typedef std::tuple<int, std::string, std::string, unsigned, std::string> launch_key;
struct copied {
    size_t bytes, longest;
    long times;
    void add(size_t n)
    {
        bytes += n;
        longest = n > longest ? n : longest;
        times++;
    }
};
std::map<launch_key, tally> launches;
std::map<std::pair<int, int>, copied> links, pageable;
std::map<std::pair<int, std::string>, long> handles;

std::string end_of_link(int device) { return device < 0 ? "host" : std::to_string(device); }

} // namespace

tally *launches_of(int device, const vgpu_task *t, const char *kernel)
{
    return &launches[{device, t ? t->codelet : "-", t ? t->model : "-", t ? t->implementation : 0,
                      kernel}];
}

void count_copy(int from, int to, size_t bytes, bool locked)
{
    links[{from, to}].add(bytes);
    if (!locked)
        pageable[{from, to}].add(bytes);
}

size_t carried(bool home)
{
    size_t bytes = 0;
    for (const auto &l : links)
        if (home ? l.first.second < 0 && l.first.first >= 0
                 : l.first.first < 0 && l.first.second >= 0)
            bytes += l.second.bytes;
    return bytes;
}

void count_handle(int device, const vgpu_task *t) { handles[{device, t ? t->codelet : "-"}]++; }

void write_record()
{
    const char *name = getenv("VGPU_RECORD");
    FILE *f = name && *name ? fopen(name, "a") : nullptr;
    if (!f)
        return;
    for (const auto &l : launches)
        fprintf(f, "launch\t%d\t%s\t%s\t%u\t%s\t%ld\t%.3f\t%zu\n", std::get<0>(l.first),
                std::get<1>(l.first).c_str(), std::get<2>(l.first).c_str(), std::get<3>(l.first),
                std::get<4>(l.first).c_str(), l.second.times, l.second.seconds, l.second.blocks);
    for (const auto &l : links)
        fprintf(f, "link\t%s\t%s\t%zu\t%ld\n", end_of_link(l.first.first).c_str(),
                end_of_link(l.first.second).c_str(), l.second.bytes, l.second.times);
    for (const auto &h : handles)
        fprintf(f, "handle\t%d\t%s\t%ld\n", h.first.first, h.first.second.c_str(), h.second);
    for (const auto &p : pageable)
        fprintf(f, "pageable\t%s\t%s\t%zu\t%ld\t%zu\n", end_of_link(p.first.first).c_str(),
                end_of_link(p.first.second).c_str(), p.second.bytes, p.second.times,
                p.second.longest);
    fclose(f);
}

} // namespace vgpu

namespace
{

struct looked_up {
    const void *address;
    std::string name;
};

void compare(const char *name, void *address, size_t, int type, void *arg)
{
    looked_up *l = (looked_up *)arg;
    if (type == STT_FUNC && address == l->address)
        l->name = name;
}

/* Without its arguments. */
std::string plain(const std::string &mangled)
{
    int status;
    char *s = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
    std::string out = s ? s : mangled;
    free(s);
    if (out.compare(0, 5, "void ") == 0)
        out = out.substr(5);
    const size_t end = out.find(">(");
    return end != std::string::npos ? out.substr(0, end + 1) : out.substr(0, out.find('('));
}

} // namespace

extern "C" const char *vgpu_kernel_name(const void *function)
{
    static std::mutex one;
    static std::map<const void *, std::string> known;
    std::lock_guard<std::mutex> hold(one);
    auto it = known.find(function);
    if (it == known.end()) {
        looked_up l = {function, "a kernel"};
        (void)for_each_symbol(function, compare, &l);
        it = known.emplace(function, plain(l.name)).first;
    }
    return it->second.c_str();
}
