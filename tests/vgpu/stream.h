/* Streams: queues of operations, executed in their order by one thread per device, which chooses
 * between streams as VGPU_ORDER says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_STREAM_H
#define ORR_VGPU_STREAM_H

#include <deque>
#include <functional>
#include <time.h>

#include "device.h"

namespace vgpu
{

struct event_state {
    bool done = true;
    timespec when = {};
};
struct operation {
    enum kind { copy, kernel, mark, wait, other } what = other;
    std::function<std::string()> act = {}; /* "" or what was wrong; without the lock */
    std::shared_ptr<event_state> event = {};
    uint64_t number = 0;
    bool planned = false; /* what goes wrong was asked for */
};

} // namespace vgpu

struct CUstream_st {
    int device = 0;
    std::deque<vgpu::operation> queue = {};
    bool running = false;
    bool idle() const { return queue.empty() && !running; }
};
struct CUevent_st {
    std::shared_ptr<vgpu::event_state> now;
};

namespace vgpu
{

/* After the processes were forked, and before the program ends. */
void start_workers();
void stop_workers();

/* All with the lock held. submit: how = eager waits for the operation. */
typedef std::unique_lock<std::mutex> holding;
cudaError_t submit(holding &, CUstream_st *, operation);
void wait_for(holding &, const std::function<bool()> &);
bool all_idle(const device &);
void polled(); /* a query found nothing: with VGPU_ORDER=lazy work goes on after some */

} // namespace vgpu
#endif
