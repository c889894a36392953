/* See plan.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>

namespace vgpu
{

namespace
{

struct faults {
    std::mutex lock;
    std::map<std::string, std::set<long>> wanted;
    std::map<std::string, long> calls;
};
faults &all_faults()
{
    static faults f;
    return f;
}
std::atomic<long> defects{0};

long number(const char *name, long otherwise)
{
    const char *s = getenv(name);
    return s && *s ? atol(s) : otherwise;
}

[[noreturn]] void refuse(const char *name, const char *value)
{
    say("%s=%s is not understood (tests/vgpu/plan.h)", name, value);
    exit(97);
}

order order_asked()
{
    static const char *const names[] = {"fifo", "eager",       "random",
                                        "lazy", "copies-late", "kernels-late"};
    const char *s = getenv("VGPU_ORDER");
    if (!s || !*s)
        return order::fifo;
    for (int i = 0; i < 6; i++)
        if (!strcmp(s, names[i]))
            return (order)i;
    refuse("VGPU_ORDER", s);
}

void read_faults()
{
    const char *f = getenv("VGPU_FAIL");
    for (std::string s = f ? f : ""; !s.empty();) {
        const size_t comma = s.find(','), colon = s.find(':');
        const long k = colon < comma ? atol(s.c_str() + colon + 1) : 0;
        if (k < 1)
            refuse("VGPU_FAIL", f);
        all_faults().wanted[s.substr(0, colon)].insert(k);
        s = comma == std::string::npos ? "" : s.substr(comma + 1);
    }
}

/* As CUDA reads it: up to the first that is not there. */
int visible(const char *list, int devices)
{
    int n = 0;
    for (char *end; n < devices; list = end + (*end == ','), n++) {
        const long d = strtol(list, &end, 10);
        if (end == list || d < 0 || d >= devices)
            break;
    }
    return n;
}

plan read_plan()
{
    plan p = {};
    p.devices = (int)number("VGPU_DEVICES", 2);
    if (p.devices < 0 || p.devices > most_devices)
        refuse("VGPU_DEVICES", getenv("VGPU_DEVICES"));
    if (const char *list = getenv("CUDA_VISIBLE_DEVICES"))
        p.devices = visible(list, p.devices);
    p.memory = (size_t)number("VGPU_MEMORY", 256) << 20;
    p.how = order_asked();
    p.seed = (unsigned)number("VGPU_SEED", 1);
    p.exact = number("VGPU_EXACT", 0);
    p.peers = number("VGPU_PEER", 1);
    p.log = number("VGPU_LOG", 0);
    p.dry = number("VGPU_DRY", 0);
    p.slow_device = -1;
    if (const char *s = getenv("VGPU_SLOW"))
        if (*s && sscanf(s, "%d:%lf", &p.slow_device, &p.slow_factor) != 2)
            refuse("VGPU_SLOW", s);
    p.lost = getenv("VGPU_LOSE") ? getenv("VGPU_LOSE") : "";
    read_faults();
    return p;
}

void put(const char *format, va_list l)
{
    char text[1024], line[1100];
    vsnprintf(text, sizeof text, format, l);
    const int n = snprintf(line, sizeof line, "vgpu: %s\n", text);
    (void)!write(2, line, (size_t)n);
}

} // namespace

const plan &asked()
{
    static const plan p = read_plan();
    return p;
}

void say(const char *format, ...)
{
    va_list l;
    va_start(l, format);
    put(format, l);
    va_end(l);
}

bool told_to_fail(const char *name)
{
    faults &f = all_faults();
    std::lock_guard<std::mutex> hold(f.lock);
    const long k = ++f.calls[name];
    auto it = f.wanted.find(name);
    if (it == f.wanted.end() || !it->second.erase(k))
        return false;
    say("%s fails, as it was told: call %ld", name, k);
    return true;
}

int verdict()
{
    faults &f = all_faults();
    std::lock_guard<std::mutex> hold(f.lock);
    bool missed = false;
    for (const auto &w : f.wanted)
        for (long k : w.second) {
            say("%s was to fail in call %ld, and there were %ld", w.first.c_str(), k,
                f.calls[w.first]);
            missed = true;
        }
    return defects ? 98 : missed ? 99 : 0;
}

} // namespace vgpu

extern "C" void vgpu_defect(const char *format, ...)
{
    vgpu::defects++;
    va_list l;
    va_start(l, format);
    vgpu::put(format, l);
    va_end(l);
}

extern "C" int vgpu_processors(void) { return (int)vgpu::number("VGPU_SMS", 4); }
extern "C" int vgpu_capability(void) { return (int)vgpu::number("VGPU_SM", 90); }

/* CUDA Programming Guide, "Compute Capabilities". */
extern "C" size_t vgpu_most_shared(void)
{
    static const struct {
        int capability, kib;
    } table[] = {{75, 64}, {80, 163}, {86, 99},   {87, 163},
                 {89, 99}, {90, 227}, {100, 227}, {120, 99}};
    const int sm = vgpu_capability();
    for (const auto &x : table)
        if (x.capability == sm)
            return (size_t)x.kib * 1024;
    vgpu::refuse("VGPU_SM", getenv("VGPU_SM"));
}
