/* See stream.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <random>
#include <unistd.h>

namespace vgpu
{

namespace
{

enum { polls_for_one = 20 };
std::mt19937 dice;
uint64_t submitted;
bool stopping;

/* A wait can begin when its event has come. */
bool ready(const CUstream_st &s)
{
    return !s.running && !s.queue.empty() &&
           (s.queue.front().what != operation::wait || s.queue.front().event->done);
}

/* Late operations go last, else the oldest first. */
std::pair<bool, uint64_t> rank(const CUstream_st &s)
{
    const operation &o = s.queue.front();
    const order how = asked().how;
    const bool late = (how == order::copies_late && o.what == operation::copy) ||
                      (how == order::kernels_late && o.what == operation::kernel);
    return {late, o.number};
}

CUstream_st *choose(device &d)
{
    if (asked().how == order::lazy && !d.wanted && !d.tokens)
        return nullptr;
    std::vector<CUstream_st *> can;
    if (ready(*d.legacy))
        can.push_back(d.legacy);
    for (CUstream_st *s : d.streams)
        if (ready(*s))
            can.push_back(s);
    if (can.empty())
        return nullptr;
    if (asked().how == order::random)
        return can[dice() % can.size()];
    CUstream_st *best = can[0];
    for (CUstream_st *s : can)
        if (rank(*s) < rank(*best))
            best = s;
    return best;
}

void execute(const device &d, const operation &o, std::string *wrong)
{
    timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    *wrong = o.act();
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (d.number == asked().slow_device)
        usleep((useconds_t)((asked().slow_factor - 1) * (1e6 * (double)(b.tv_sec - a.tv_sec) +
                                                         1e-3 * (double)(b.tv_nsec - a.tv_nsec))));
}

void work(device &d)
{
    holding hold(lock);
    for (;;) {
        CUstream_st *s = nullptr;
        changed.wait(hold, [&] { return stopping || (s = choose(d)); });
        if (!s)
            return;
        if (asked().how == order::lazy && !d.wanted)
            d.tokens--;
        operation o = std::move(s->queue.front());
        s->queue.pop_front();
        s->running = true;
        const bool pause = asked().how == order::random && dice() % 4 == 0;
        const bool alive = d.sticky == cudaSuccess;
        std::string wrong;
        hold.unlock();
        if (pause)
            usleep(200);
        if (o.act && alive)
            execute(d, o, &wrong);
        hold.lock();
        if (o.what == operation::mark) {
            o.event->done = true;
            clock_gettime(CLOCK_MONOTONIC, &o.event->when);
        }
        if (!wrong.empty()) {
            (o.planned ? say : vgpu_defect)("device %d: %s", d.number, wrong.c_str());
            d.sticky = o.planned ? cudaErrorLaunchFailure : cudaErrorIllegalAddress;
        }
        s->running = false;
        changed.notify_all();
    }
}

} // namespace

void start_workers()
{
    dice.seed(asked().seed);
    for (auto &d : devices) {
        d->legacy = new CUstream_st{d->number};
        device *x = d.get();
        d->worker = std::thread([x] { work(*x); });
    }
}

void stop_workers()
{
    {
        holding hold(lock);
        stopping = true;
        changed.notify_all();
    }
    for (auto &d : devices)
        d->worker.join();
}

cudaError_t submit(holding &hold, CUstream_st *s, operation o)
{
    const device &d = *devices[(size_t)s->device];
    if (d.sticky != cudaSuccess)
        return d.sticky;
    o.number = ++submitted;
    s->queue.push_back(std::move(o));
    changed.notify_all();
    if (asked().how == order::eager)
        wait_for(hold, [s] { return s->idle(); });
    return d.sticky;
}

/* Another device may have to go on first, so all may. */
void wait_for(holding &hold, const std::function<bool()> &come)
{
    for (auto &d : devices)
        d->wanted++;
    changed.notify_all();
    changed.wait(hold, come);
    for (auto &d : devices)
        d->wanted--;
}

bool all_idle(const device &d)
{
    bool all = d.legacy->idle();
    for (const CUstream_st *s : d.streams)
        all = all && s->idle();
    return all;
}

void polled()
{
    if (asked().how != order::lazy)
        return;
    for (auto &d : devices)
        if (++d->polls % polls_for_one == 0)
            d->tokens++;
    changed.notify_all();
}

} // namespace vgpu
