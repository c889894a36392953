/* Blocks that wait for each other wait so long and no longer: each kernel that does so is started
 * with a sweep (strip, block) that nobody runs, and must end with an error and a record that says who
 * waited for whom (kernels/stall.h). In the emulator one planted fault after the other; on a device
 * the first one ends the use of the device, so that only it runs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <string>

#include "device.h"
#include "kernels/cuda/gb2bd_chase.cuh"
#include "kernels/cuda/gb2bd_qr.cuh"
#include "kernels/cuda/gesvj_qr.cuh"
#include "kernels/cuda/hb2st_chase.cuh"
#include "kernels/cuda/panel.cuh"

using namespace orr;

enum { N = 40, B = 4 };

/* Word 0 is the ticket: sweep 0 seems to be taken already. */
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
            hb2st_chase_windows<double>(B),
            orr_stall_record()};
}

static orr_status hb2st_hangs(int *words, double *memory, double *carry)
{
    const chase_task<double> a = band_task(memory, carry, words);
    return launch(hb2st_chase_kernel<true, 512, 0, double>, hb2st_chase_launch_shape(a), nullptr,
                  a);
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
    gb2bd_task<double> a = {{rows_args(0), memory, nullptr}, carry,
                            orr_gb2bd_carry(ORR_D, B - 1),   8,
                            gb2bd_windows<double>(B, B - 1), orr_stall_record()};
#ifdef ORR_SIMT
    *a.ticket() = 1;
#endif
    return launch(gb2bd_chase_kernel<true, 256, 0, 0, double>, gb2bd_launch_shape(a), nullptr, a);
}

static orr_status qr_hangs(int *, double *memory, double *)
{
    gb2bd_qr_task<double> a = {{rows_args(2), memory, nullptr}, 0, orr_stall_record()};
    a.g.b = 2;
    a.g.tw = B - 2;
    a.width = gb2bd_qr_width(a);
#ifdef ORR_SIMT
    *a.ticket() = 1;
#endif
    return launch(gb2bd_qr_kernel<double>, gb2bd_qr_shape(a), nullptr, a);
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
    return launch(panel_kernel<double>, {dim3(1), dim3(panel_threads), panel_bytes<double>(4, 2)},
                  nullptr, a);
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
    return launch(gesvj_qr_kernel<double>,
                  {dim3(1), dim3(gesvj_threads), gesvj_qr_state_bytes<double>(8)}, nullptr, a);
}

struct planted {
    const char *name;
    int kernel;
    orr_status (*start)(int *words, double *memory, double *carry);
    int words[2];    /* the first ones */
    const char *who; /* waited for whom */
};

static void body()
{
    static const planted all[] = {
        {"hb2st_chase", ORR_STALL_HB2ST_CHASE, hb2st_hangs, {1, 0}, "sweep 0 to"},
        {"gb2bd_chase", ORR_STALL_GB2BD_CHASE, gb2bd_hangs, {0, 0}, "sweep 0 to"},
        {"gb2bd_qr", ORR_STALL_GB2BD_QR, qr_hangs, {0, 0}, "strip 0 to"},
        {"panel",
         ORR_STALL_PANEL,
         panel_hangs,
         {0, 0},
         "thread block 0 waited 2 s for thread block 1 "},
        {"gesvj_qr",
         ORR_STALL_GESVJ_QR,
         gesvj_hangs,
         {0, 1}, /* its head says that it is finite */
         "thread block 0 waited 2 s for thread block 1 "}};
    orr_stall *const told = orr_stall_record();
    char none[4];
    CHECK(told != nullptr && orr_stall_text(none, sizeof none) == 0, "a record of nothing");
    for (const planted &p : all) {
        std::vector<int> zero(256, 0);
        std::copy(p.words, p.words + 2, zero.begin());
        device_array<int> words(zero);
        device_array<double> memory(std::vector<double>(16384, 0.)), carry(memory.host());
        *told = orr_stall{};
#ifdef ORR_SIMT
        simt::config.most_turns = 1000;
        const orr_status st = p.start(words.get(), memory.get(), carry.get());
        const std::string error = simt::defect;
        simt::defect.clear();
        simt::config = simt::options();
        CHECK(st == ORR_E_DEVICE && error.find("trap") == 0, "%s: %d, %s", p.name, (int)st,
              error.c_str());
#else
        const orr_status st = p.start(words.get(), memory.get(), carry.get());
        CHECK(st == ORR_OK && !device_error().empty(), "%s: no error", p.name);
#endif
        CHECK(told->kernel == p.kernel, "%s: kernel %d", p.name, told->kernel);
        CHECK(told->seen < told->need, "%s: %d of %d", p.name, told->seen, told->need);
        char text[300] = "";
        CHECK(orr_stall_text(text, sizeof text) == 1 && std::strstr(text, p.name) &&
                  std::strstr(text, p.who),
              "%s", text);
        std::printf("%s\n", text);
#ifndef ORR_SIMT
        return; /* the device is of no use any more */
#endif
    }
}

int main() { return device_main(body); }
