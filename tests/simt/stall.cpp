/* Blocks that wait for each other wait so long and no longer: each kernel that does so is started
 * with a sweep (strip, block) that nobody runs, and must end with an error and a record that says who
 * waited for whom (kernels/stall.h). In the emulator one planted fault after the other; on a device,
 * which is of no use to a process any more after the first, each in a process of its own:
 *
 *   stall          all of them
 *   stall NAME     the one of this kernel
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <string>

#include "device.h"
#include "kernels/cuda/gb2bd_chase.cuh"
#include "kernels/cuda/gb2bd_qr.cuh"
#include "kernels/cuda/gesvj_qr.cuh"
#include "kernels/cuda/hb2st_numbered.cuh"
#include "kernels/cuda/panel.cuh"
#include "kernels/cuda/resident.h"

#ifndef ORR_SIMT
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace orr;

enum { N = 40, B = 4 };

static int blocks; /* of the kernel that was started last */

template <class Task> static orr_status start(void (*kernel)(Task), const shape &s, const Task &a)
{
    blocks = (int)s.grid.x;
    return launch(kernel, s, nullptr, a);
}

/* The first sweep (strip) seems to be taken already. */
template <class Task> __global__ void take_kernel(Task a) { *a.ticket() = 1; }

template <class Task>
static orr_status start_without_first(void (*kernel)(Task), const shape &s, const Task &a)
{
    const orr_status st = start(take_kernel<Task>, {dim3(1), dim3(1), 0}, a);
    return st == ORR_OK ? start(kernel, s, a) : st;
}

static chase_task<double> band_task(double *memory, double *carry, int *words)
{
    orr_hb2st_shape s = {};
    s.n = s.D = N;
    s.b = B;
    s.ldh = orr_hb2st_ldh(sizeof(double), B);
    s.lead = orr_hb2st_lead(sizeof(double));
    s.sweeps = s.G = orr_hb2st_sweeps(0, N, B);
    return {s,
            0,
            0,
            nullptr,
            memory + s.lead,
            carry,
            nullptr,
            words,
            hb2st_chase_windows<double>(B, least_room),
            orr_stall_record()};
}

static orr_status hb2st_hangs(int *words, double *memory, double *carry)
{
    const chase_task<double> a = band_task(memory, carry, words);
    return start_without_first(hb2st_chase_kernel<true, 512, 0, double>,
                               hb2st_chase_launch_shape(a), a);
}

static orr_status numbered_hangs(int *words, double *memory, double *carry)
{
    const numbered_task<double> a = {band_task(memory, nullptr, words), (numbered<double> *)carry};
    return start_without_first(hb2st_numbered_kernel<0, hb2st_receivers<double>(0), 0, double>,
                               hb2st_numbered_launch_shape(a), a);
}

static orr_gb2bd_args rows_args(int64_t low)
{
    orr_gb2bd_args g = {};
    g.band = orr_gb2bd_layout(ORR_D, N, N, low, B, B - 1);
    g.count = N;
    g.sweeps = N - 2;
    g.b = B;
    g.tw = B - 1;
    g.from = -1;
    g.to = INT64_MAX / 2;
    return g;
}

static orr_status gb2bd_hangs(int *, double *memory, double *carry)
{
    const gb2bd_task<double> a = {{rows_args(0), memory, nullptr},
                                  carry,
                                  orr_gb2bd_carry(ORR_D, B - 1),
                                  8,
                                  gb2bd_windows<double>(B, B - 1, least_room),
                                  orr_stall_record()};
    return start_without_first(gb2bd_chase_kernel<true, 256, 0, 0, double>, gb2bd_launch_shape(a),
                               a);
}

static orr_status qr_hangs(int *, double *memory, double *)
{
    gb2bd_qr_task<double> a = {{rows_args(2), memory, nullptr}, 0, orr_stall_record()};
    a.g.b = 2;
    a.g.tw = B - 2;
    a.width = gb2bd_qr_width(a, least_room);
    return start_without_first(gb2bd_qr_kernel<double>, gb2bd_qr_shape(a), a);
}

/* Of two blocks only the first is started. */
static orr_status panel_hangs(int *words, double *memory, double *)
{
    panel_task<double> a = {};
    a.m = 8;
    a.columns = a.reflectors = 2;
    a.blocks = 2;
    a.rows = 4;
    a.parts = panel_parts(2);
    a.q = a.r = a.s = memory;
    a.ldq = a.ldr = a.lds = 8;
    a.sums = memory + 100;
    a.row = memory + 200;
    a.words = words;
    a.told = orr_stall_record();
    return start(panel_kernel<double>,
                 {dim3(1), dim3(panel_threads), panel_bytes<double, panel_apart>(4, 2, 2)}, a);
}

/* Of a group of two blocks only the first is started. */
static orr_status gesvj_hangs(int *words, double *memory, double *)
{
    gesvj_qr_task a = {};
    a.all.g.m = a.all.g.n = a.all.g.nb = 16;
    a.all.g.precondition = 1;
    a.all.of[0].factors = memory;
    a.all.of[0].head = words;
    a.all.work = (char *)(memory + 1000);
    a.which = GESVJ_FIRST;
    a.matrices = 1;
    a.group = 2;
    a.own = 8; /* columns, all in global memory */
    a.told = orr_stall_record();
    return start(gesvj_qr_kernel<double>,
                 {dim3(1), dim3(gesvj_threads), gesvj_qr_state_bytes<double>(8)}, a);
}

struct planted {
    const char *name;
    int kernel;
    orr_status (*run)(int *words, double *memory, double *carry);
    int words[2];    /* the first ones */
    const char *who; /* waits: a sweep, a strip, or a thread block at a meeting */
    int need;        /* what it waits for; there is 0 */
};
static const planted faults[] = {
    {"hb2st_chase", ORR_STALL_HB2ST_CHASE, hb2st_hangs, {0, 0}, "sweep", 2},
    {"hb2st_numbered", ORR_STALL_HB2ST_NUMBERED, numbered_hangs, {0, 0}, "sweep", 2},
    {"gb2bd_chase", ORR_STALL_GB2BD_CHASE, gb2bd_hangs, {0, 0}, "sweep", 4},
    {"gb2bd_qr", ORR_STALL_GB2BD_QR, qr_hangs, {0, 0}, "strip", 5},
    {"panel", ORR_STALL_PANEL, panel_hangs, {0, 0}, nullptr, 1},
    {"gesvj_qr", ORR_STALL_GESVJ_QR, gesvj_hangs, {0, 1} /* its head: finite */, nullptr, 1}};

/* What the record of `block`, which waited for sweep `whom`, says. */
static std::string sentence(const planted &p, int64_t whom, int block)
{
    const auto text = [](int64_t x) { return std::to_string(x); };
    return std::string("the CUDA kernel ") + p.name + " stood still: " +
           (p.who ? p.who + (" " + text(whom + 1)) + " (thread block " + text(block) +
                        ") waited 2 s for " + p.who + " " + text(whom) + " to be at step "
                  : "thread block " + text(block) + " waited 2 s for thread block " + text(whom) +
                        " to come to meeting ") +
           text(p.need) + ", and it was at 0";
}

static void check(const planted &p)
{
    orr_stall *const told = orr_stall_record();
    char text[300] = "";
    CHECK(told != nullptr && orr_stall_text(text, sizeof text) == 0, "a record of nothing");
    if (!told)
        return;
    std::vector<int> zero(256, 0);
    std::copy(p.words, p.words + 2, zero.begin());
    device_array<int> words(zero);
    device_array<double> memory(std::vector<double>(16384, 0.)), carry(memory.host());
#ifdef ORR_SIMT
    simt::config.most_turns = 100;
#endif
    const orr_status st = p.run(words.get(), memory.get(), carry.get());
    const std::string error = device_error();
#ifdef ORR_SIMT
    simt::config = simt::options();
    CHECK(st == ORR_E_DEVICE && error.find("trap") == 0, "%s: %d, %s", p.name, (int)st,
          error.c_str());
    const int first = 1; /* only the second sweep can be the first that gives up */
#else
    CHECK(st == ORR_OK && !error.empty(), "%s: %d, no error", p.name, (int)st);
    const int first = blocks; /* as many sweeps wait, each for the one before it */
#endif
    CHECK(told->kernel == p.kernel, "%s: kernel %d", p.name, told->kernel);
    CHECK(told->need == p.need && told->seen == 0, "%s: %d of %d", p.name, told->seen, told->need);
    CHECK(told->block >= 0 && told->block < blocks, "%s: thread block %d of %d", p.name,
          told->block, blocks);
    const int64_t whom = told->first + told->offset / std::max<int64_t>(told->apart, 1);
    CHECK(p.who ? whom >= 0 && whom < first : whom == 1, "%s: waited for %lld", p.name,
          (long long)whom);
    CHECK(orr_stall_text(text, sizeof text) == 1 && text == sentence(p, whom, told->block), "%s",
          text);
    std::printf("%s\n", text);
    *told = orr_stall{};
}

#ifdef ORR_SIMT

static void body()
{
    for (const planted &p : faults)
        check(p);
}

int main() { return device_main(body); }

#else

static const planted *chosen;
static void body() { check(*chosen); }

/* This program once more, for one kernel; its exit status. */
static int apart(char *self, const planted &p)
{
    char *const arguments[] = {self, const_cast<char *>(p.name), nullptr};
    pid_t child;
    int status = 0;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    int worst = 0;
    for (const planted &p : faults) {
        if (argc > 1 && p.name == std::string(argv[1])) {
            chosen = &p;
            return device_main(body);
        }
        if (argc > 1)
            continue;
        const int status = apart(argv[0], p);
        if (status == 77) /* no device: the others would find none, either */
            return status;
        if (status != 0)
            std::printf("%s: exit status %d\n", p.name, status);
        worst = std::max(worst, status);
    }
    return argc > 1 ? 2 : worst;
}

#endif
