/* A virtual device: a process for its kernels, and memory that only this process can use.
 *
 * The memory is a file in RAM, mapped at one address everywhere: without rights in the host's
 * process and in other devices', so that touching it is a fault with an address, and a second time,
 * somewhere else, for copies. A block of it ends at a page without rights, but for at most 255
 * bytes (15 with VGPU_EXACT) that are watched; so is what lies before it in its first page. New
 * memory is NaN. Freed addresses come back as late as possible.
 *
 * With VGPU_EXACT a buffer of StarPU is a block of its own (StarPU cuts small ones from chunks of
 * 32 MiB, where a neighbour hides an overrun), and closed: a kernel can use those that its task
 * names, and write those that its task writes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_DEVICE_H
#define ORR_VGPU_DEVICE_H

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

#include "plan.h"
#include "task.h"

struct CUstream_st;

namespace vgpu
{

/* Of everything below and of streams (stream.h). */
extern std::mutex lock;
extern std::condition_variable changed;

struct block {
    size_t bytes;
    char *start; /* of its pages */
    size_t room; /* of them, without the fence */
    bool closed; /* but for tasks that name it */
};

/* What a kernel gets beside its arguments: blocks that are opened for it, and names for messages.
 */
struct grant {
    struct one {
        char *at; /* of the block */
        bool reads_only;
        unsigned buffer;
    };
    std::vector<one> blocks;
    std::string codelet; /* "" outside of tasks */
};

struct mailbox;
struct device {
    int number = 0;
    char *arena = nullptr, *alias = nullptr;
    size_t used = 0;
    std::map<char *, block> live;
    std::map<char *, size_t> free;
    char *last = nullptr; /* where the last block was cut */
    mailbox *box = nullptr;
    pid_t process = -1;
    std::mutex calls; /* of its process */
    cudaError_t sticky = cudaSuccess;
    bool peers[most_devices] = {};
    CUstream_st *legacy = nullptr;
    std::vector<CUstream_st *> streams;
    std::thread worker;
    uint64_t tokens = 0, polls = 0, wanted = 0; /* VGPU_ORDER=lazy */
};
extern std::vector<std::unique_ptr<device>> devices;

void make_devices(); /* the processes too */
void end_devices();
bool in_a_device();

int owner(const void *); /* the device whose memory this is, or -1 */
/* lock held: the live block that holds these bytes, or NULL; *at: where it begins. */
const block *block_of(const void *, size_t bytes, char **at = nullptr);
std::string place_of(const void *); /* in words; lock held */
char *through(const void *);        /* for copies */

cudaError_t allocate(device &, void **, size_t bytes, bool closed);
cudaError_t release(void *);

/* Runs f there and waits. "" or what was wrong. Without the lock. */
std::string run_there(device &, vgpu_function *, const void *arguments, size_t bytes,
                      const char *name, const grant &, double *cpu_seconds);

} // namespace vgpu
#endif
