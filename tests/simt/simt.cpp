/* The scheduler behind simt.h: fibers (Boost.Context's assembly switch), barriers, warp
 * collectives, and the checks. One host thread runs everything, so nothing here locks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "races.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define SIMT_ASAN 1
#else
#define SIMT_ASAN 0
#endif

namespace ctx = boost::context::detail;

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace simt
{

options config;
std::string defect;
std::function<void(const void *, dim3, dim3, size_t)> instead_of_run;
observer *observed;

namespace
{

enum class state { ready, at_barrier, at_some, in_warp, spinning, done };

struct site {
    const char *file = nullptr;
    int line = 0;
    bool operator==(const site &o) const { return line == o.line && !std::strcmp(file, o.file); }
};

struct pending_copy {
    void *dst;
    const void *src;
    size_t bytes;
    int group;
};

struct block_state;

struct thread {
    block_state *block = nullptr;
    unsigned index = 0;
    uint3 id = {};
    state now = state::ready;
    site where;
    ctx::fcontext_t context = nullptr;
    char *stack = nullptr;
    void *fake_stack = nullptr;
    barrier what = barrier::plain;
    int predicate = 0, result = 0;
    int some = 0; /* the barrier, and of how many threads */
    unsigned expected = 0;
    warp_op op = warp_op::sync;
    unsigned mask = 0;
    int arg = 0, width = 32;
    value mine, got;
    int copy_group = 0;
    std::vector<pending_copy> copies;
};

struct static_array {
    site where;
    size_t offset;
};

constexpr size_t guard = 256, static_bytes = 48 * 1024;
constexpr unsigned char poison = 0xff, canary = 0xa5;

struct block_state {
    uint3 id = {};
    unsigned number = 0;
    std::vector<thread> threads;
    std::deque<unsigned> ready;
    unsigned live = 0, waiting = 0;
    unsigned char *memory = nullptr, *dynamic = nullptr;
    size_t shared = 0, used = 0;
    std::vector<static_array> arrays;
    size_t bytes() const { return static_bytes + guard + shared + guard + 16; }
    ~block_state();
};

struct launch_state {
    options opt;
    std::function<void()> *body = nullptr;
    std::string error;
    thread *current = nullptr;
    ctx::fcontext_t scheduler = nullptr;
    void *scheduler_fake = nullptr;
    const void *scheduler_stack = nullptr;
    size_t scheduler_stack_size = 0, stack_bytes = 0;
    std::vector<char *> stacks;
    std::mt19937 random;
};

launch_state *now;

std::string text(const site &s)
{
    if (!s.file)
        return "(nowhere yet)";
    const char *slash = std::strrchr(s.file, '/');
    return std::string(slash ? slash + 1 : s.file) + ":" + std::to_string(s.line);
}

std::string name(const thread &t)
{
    const uint3 b = t.block->id;
    return "block (" + std::to_string(b.x) + "," + std::to_string(b.y) + ") thread " +
           std::to_string(t.index);
}

void fail(const std::string &what)
{
    if (now->error.empty())
        now->error = what;
}

/* Back to the scheduler; returns when it resumes this thread. */
void suspend([[maybe_unused]] bool forever = false)
{
    [[maybe_unused]] thread *self = now->current;
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(forever ? nullptr : &self->fake_stack, now->scheduler_stack,
                                   now->scheduler_stack_size);
#endif
    ctx::transfer_t t = ctx::jump_fcontext(now->scheduler, nullptr);
    now->scheduler = t.fctx;
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(self->fake_stack, nullptr, nullptr);
#endif
}

void entry(ctx::transfer_t t)
{
    now->scheduler = t.fctx;
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &now->scheduler_stack, &now->scheduler_stack_size);
#endif
    (*now->body)();
    now->current->now = state::done;
    suspend(true);
}

void resume(thread &t)
{
    now->current = &t;
    threadIdx = t.id;
    blockIdx = t.block->id;
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(&now->scheduler_fake, t.stack, now->stack_bytes);
#endif
    ctx::transfer_t r = ctx::jump_fcontext(t.context, nullptr);
    t.context = r.fctx;
    now->current = nullptr;
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(now->scheduler_fake, nullptr, nullptr);
#endif
}

char *take_stack()
{
    if (!now->stacks.empty()) {
        char *s = now->stacks.back();
        now->stacks.pop_back();
        return s;
    }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *s = (char *)mmap(nullptr, now->stack_bytes + page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s == MAP_FAILED || mprotect(s, page, PROT_NONE)) {
        std::fprintf(stderr, "simt: no memory for another stack\n");
        std::exit(1);
    }
    return s + page;
}

/* Stacks outlive a launch: a test launches thousands of small kernels. */
std::vector<char *> spare_stacks;
size_t spare_bytes;

void protect([[maybe_unused]] block_state &b, [[maybe_unused]] bool on)
{
#if SIMT_ASAN
    if (!now->opt.poison_guards)
        return;
    unsigned char *before = b.dynamic - guard, *after = b.dynamic + b.shared;
    if (on) {
        ASAN_POISON_MEMORY_REGION(before, guard);
        ASAN_POISON_MEMORY_REGION(after, guard);
    } else {
        ASAN_UNPOISON_MEMORY_REGION(before, guard);
        ASAN_UNPOISON_MEMORY_REGION(after, guard + 8);
    }
#endif
}

void start(block_state &b, uint3 id, unsigned nthreads, size_t shared)
{
    b.id = id;
    b.threads = std::vector<thread>(nthreads);
    b.live = nthreads;
    b.shared = shared;
    b.number = id.x + gridDim.x * (id.y + gridDim.y * id.z);
    if (posix_memalign((void **)&b.memory, 256, b.bytes())) {
        std::fprintf(stderr, "simt: no memory for shared memory\n");
        std::exit(1);
    }
    b.dynamic = b.memory + static_bytes + guard;
    std::memset(b.memory, poison, static_bytes);
    std::memset(b.dynamic - guard, canary, guard);
    std::memset(b.dynamic, poison, shared);
    std::memset(b.dynamic + shared, canary, guard);
    protect(b, true);
    if (observed)
        observed->block_starts(b.number, nthreads, b.memory, b.bytes());
    for (unsigned i = 0; i < nthreads; i++) {
        thread &t = b.threads[i];
        t.block = &b;
        t.index = i;
        t.id = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        t.stack = take_stack();
#if SIMT_ASAN
        ASAN_UNPOISON_MEMORY_REGION(t.stack, now->stack_bytes);
#endif
        t.context = ctx::make_fcontext(t.stack + now->stack_bytes, now->stack_bytes, entry);
        b.ready.push_back(i);
    }
}

bool guards_intact(block_state &b)
{
    protect(b, false);
    bool ok = true;
    for (size_t i = 0; i < guard; i++)
        ok = ok && b.dynamic[b.shared + i] == canary && (b.dynamic - guard)[i] == canary;
    protect(b, true);
    return ok;
}

void stop(block_state &b)
{
    protect(b, false);
    if (observed)
        observed->block_ends(b.number, b.memory, b.bytes());
    for (thread &t : b.threads)
        now->stacks.push_back(t.stack);
    std::free(b.memory);
    b.memory = nullptr;
}

/* A launch that failed abandons its fibers where they stand. */
block_state::~block_state()
{
    if (memory)
        stop(*this);
}

void make_ready(block_state &b, unsigned i)
{
    b.threads[i].now = state::ready;
    b.ready.push_back(i);
}

/* All threads of the block have arrived, or some have exited: release or complain. */
void check_barrier(block_state &b)
{
    if (b.waiting == 0 || b.waiting < b.live)
        return;
    const thread *first = nullptr;
    int all = 1, any = 0, count = 0;
    for (thread &t : b.threads) {
        if (t.now == state::done) {
            const auto w = std::find_if(b.threads.begin(), b.threads.end(),
                                        [](const thread &o) { return o.now == state::at_barrier; });
            return fail("divergent barrier: " + name(t) + " exited while thread " +
                        std::to_string(w->index) + " waits at " + text(w->where));
        }
        if (!first)
            first = &t;
        if (!(t.where == first->where) || t.what != first->what)
            return fail("divergent barrier: " + name(*first) + " waits at " + text(first->where) +
                        ", thread " + std::to_string(t.index) + " at " + text(t.where));
        all = all && t.predicate;
        any = any || t.predicate;
        count += t.predicate != 0;
    }
    if (!guards_intact(b))
        return fail("write outside shared memory: " + name(*first) + ", seen at " +
                    text(first->where));
    b.waiting = 0;
    if (observed) {
        std::vector<unsigned> all(b.threads.size());
        for (unsigned i = 0; i < all.size(); i++)
            all[i] = i;
        observed->barrier(b.number, all);
    }
    for (thread &t : b.threads) {
        t.result = first->what == barrier::all ? all : first->what == barrier::any ? any : count;
        make_ready(b, t.index);
    }
}

/* As many threads have arrived at a barrier of some as it is for. */
void check_some(block_state &b, const thread &t)
{
    std::vector<unsigned> here;
    for (const thread &o : b.threads)
        if (o.now == state::at_some && o.some == t.some) {
            if (o.expected != t.expected)
                return fail("barrier " + std::to_string(t.some) + ": " + name(t) + " expects " +
                            std::to_string(t.expected) + " threads, thread " +
                            std::to_string(o.index) + " " + std::to_string(o.expected));
            here.push_back(o.index);
        }
    if (here.size() < t.expected)
        return;
    if (!guards_intact(b))
        return fail("write outside shared memory: " + name(t) + ", seen at " + text(t.where));
    if (observed)
        observed->barrier(b.number, here);
    for (const unsigned i : here)
        make_ready(b, i);
}

/* The last lane of a collective has arrived: every lane gets its result. */
void check_warp(block_state &b, thread &t)
{
    const unsigned first = t.index / 32 * 32;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(t.mask >> lane & 1))
            continue;
        if (first + lane >= b.threads.size() || b.threads[first + lane].now == state::done)
            return fail("divergent warp: " + name(t) + " at " + text(t.where) + " names lane " +
                        std::to_string(lane) + ", which has exited or never was");
        const thread &o = b.threads[first + lane];
        if (o.now != state::in_warp)
            return;
        if (o.op != t.op || o.mask != t.mask || (t.op != warp_op::sync && !(o.where == t.where)))
            return fail("divergent warp: " + name(t) + " at " + text(t.where) + ", lane " +
                        std::to_string(lane) + " at " + text(o.where));
    }
    unsigned ballot = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if ((t.mask >> lane & 1) && b.threads[first + lane].arg)
            ballot |= 1u << lane;
    const unsigned mask = t.mask;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        thread &o = b.threads[first + lane];
        const int w = o.width, base = (int)lane / w * w, me = (int)lane - base;
        int from = me;
        switch (o.op) {
        case warp_op::shfl: from = ((o.arg % w) + w) % w; break;
        case warp_op::up: from = me - o.arg < 0 ? me : me - o.arg; break;
        case warp_op::down: from = me + o.arg >= w ? me : me + o.arg; break;
        case warp_op::bxor: from = (me ^ o.arg) >= w ? me : me ^ o.arg; break;
        default: break;
        }
        from += base;
        if (o.op == warp_op::ballot)
            std::memcpy(o.got.bytes, &ballot, sizeof ballot);
        else if (mask >> from & 1)
            o.got = b.threads[first + (unsigned)from].mine;
        else
            return fail("shuffle from a lane outside its mask: " + name(o) + " at " +
                        text(o.where));
    }
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < 32; lane++)
        if (mask >> lane & 1)
            lanes.push_back(first + lane);
    if (observed && t.op == warp_op::sync)
        observed->barrier(b.number, lanes);
    for (const unsigned i : lanes)
        make_ready(b, i);
}

void after(thread &t)
{
    block_state &b = *t.block;
    switch (t.now) {
    case state::done:
        b.live--;
        check_barrier(b);
        for (thread &o : b.threads)
            if (o.now == state::in_warp && o.index / 32 == t.index / 32 &&
                (o.mask >> (t.index % 32) & 1))
                return check_warp(b, o);
        break;
    case state::at_barrier:
        b.waiting++;
        check_barrier(b);
        break;
    case state::at_some: check_some(b, t); break;
    case state::in_warp: check_warp(b, t); break;
    default: break;
    }
}

unsigned pick(block_state &b)
{
    std::deque<unsigned> &q = b.ready;
    size_t i = 0;
    switch (now->opt.how) {
    case order::friendly: i = 0; break;
    case order::reverse: i = q.size() - 1; break;
    case order::random: i = now->random() % q.size(); break;
    case order::adversarial: i = now->random() % 16 ? q.size() - 1 : 0; break;
    }
    const unsigned t = q[i];
    q.erase(q.begin() + (std::ptrdiff_t)i);
    return t;
}

std::string who_waits(const std::vector<std::unique_ptr<block_state>> &blocks)
{
    std::string s;
    int shown = 0;
    for (const auto &b : blocks)
        for (const thread &t : b->threads)
            if (t.now != state::done && t.now != state::ready && shown++ < 3)
                s += "; " + name(t) + (t.now == state::spinning ? " spins at " : " waits at ") +
                     text(t.where);
    return s;
}

void schedule(dim3 grid, unsigned nthreads, size_t shared)
{
    const size_t total = (size_t)grid.x * grid.y * grid.z;
    std::vector<size_t> todo(total);
    for (size_t i = 0; i < total; i++)
        todo[i] = i;
    if (!now->opt.ascending_dispatch && now->opt.how == order::random)
        std::shuffle(todo.begin(), todo.end(), now->random);
    if (now->opt.ascending_dispatch ||
        (now->opt.how != order::random && now->opt.how != order::reverse))
        std::reverse(todo.begin(), todo.end()); /* taken from the back */

    std::vector<std::unique_ptr<block_state>> blocks;
    size_t turn = 0;
    /* Steps since anybody did anything but spin. Everybody gets many chances to look. */
    size_t idle = 0;
    while (!todo.empty() || !blocks.empty()) {
        while (!todo.empty() && blocks.size() < now->opt.resident) {
            const size_t i = todo.back();
            todo.pop_back();
            blocks.push_back(std::make_unique<block_state>());
            start(*blocks.back(),
                  {(unsigned)(i % grid.x), (unsigned)(i / grid.x % grid.y),
                   (unsigned)(i / grid.x / grid.y)},
                  nthreads, shared);
        }
        const bool stay = now->opt.how == order::adversarial && now->random() % 64;
        if (now->opt.how == order::random)
            turn = now->random();
        else if (!stay)
            turn++;
        size_t ready = 0;
        for (size_t i = 0; i < blocks.size() && !ready; i++, turn += !ready)
            ready = blocks[turn % blocks.size()]->ready.size();
        if (!ready)
            return fail("deadlock: nobody can run" + who_waits(blocks));
        block_state &b = *blocks[turn % blocks.size()];
        const unsigned chosen = pick(b);
        thread &t = b.threads[chosen];
        t.now = state::ready;
        resume(t);
        if (t.now == state::spinning) {
            /* Behind the others, or threads of one block would starve each other. */
            if (now->opt.how == order::reverse || now->opt.how == order::adversarial)
                b.ready.push_front(chosen);
            else
                b.ready.push_back(chosen);
            size_t alive = 0;
            for (const auto &o : blocks)
                alive += o->ready.size();
            if (++idle > 20000 + 200 * alive)
                return fail("deadlock: everybody who could run spins, " +
                            std::to_string(todo.size()) + " blocks not started" +
                            who_waits(blocks));
        } else {
            idle = 0;
            after(t);
            if (!now->error.empty())
                return;
        }
        if (b.live == 0) {
            if (!guards_intact(b))
                return fail("write outside shared memory: " + name(b.threads[0]) +
                            ", seen at the end of the block");
            stop(b);
            blocks.erase(blocks.begin() + (std::ptrdiff_t)(turn % blocks.size()));
        }
    }
}

} // namespace

std::string run(dim3 grid, dim3 block, size_t shared, const options &opt,
                std::function<void()> body)
{
    const size_t nthreads = (size_t)block.x * block.y * block.z;
    if (nthreads == 0 || nthreads > 1024)
        return "illegal launch: " + std::to_string(nthreads) + " threads per block";
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 2147483647u || grid.y > 65535 ||
        grid.z > 65535)
        return "illegal launch: grid";
    if (shared > opt.max_shared)
        return "illegal launch: " + std::to_string(shared) + " bytes of shared memory";
    launch_state self;
    self.opt = opt;
    self.body = &body;
    self.random.seed(opt.seed);
    self.stack_bytes = opt.stack ? opt.stack : SIMT_ASAN ? 256 * 1024 : 64 * 1024;
    if (spare_bytes != self.stack_bytes)
        spare_stacks.clear(); /* a test changes the size at most once: not worth unmapping */
    spare_bytes = self.stack_bytes;
    self.stacks.swap(spare_stacks);
    now = &self;
    blockDim = block;
    gridDim = grid;
    schedule(grid, (unsigned)nthreads, shared);
    now = nullptr;
    if (observed)
        observed->launch_ends();
    spare_stacks.swap(self.stacks);
    return self.error;
}

void *dynamic_shared() { return now->current->block->dynamic; }

void *static_shared(const char *file, int line, size_t bytes)
{
    block_state &b = *now->current->block;
    const site here = {file, line};
    for (const static_array &a : b.arrays)
        if (a.where == here)
            return b.memory + a.offset;
    const size_t offset = (b.used + 63) / 64 * 64;
    if (offset + bytes > static_bytes) {
        fail("more than 48 KiB of static shared memory at " + text(here));
        suspend();
    }
    b.used = offset + bytes;
    b.arrays.push_back({here, offset});
    return b.memory + offset;
}

void spin_yield(const char *file, int line)
{
    now->current->now = state::spinning;
    now->current->where = {file, line};
    suspend();
}

void trap(const char *file, int line)
{
    fail("trap: " + name(*now->current) + " at " + text({file, line}));
    for (;;)
        suspend();
}

int syncthreads(barrier what, int predicate, const char *file, int line)
{
    thread &t = *now->current;
    t.now = state::at_barrier;
    t.what = what;
    t.predicate = predicate;
    t.where = {file, line};
    suspend();
    return t.result;
}

void sync_some(int id, unsigned threads, const char *file, int line)
{
    thread &t = *now->current;
    if (id < 1 || id > 15 || threads == 0 || threads % 32 != 0)
        fail("illegal barrier " + std::to_string(id) + " of " + std::to_string(threads) +
             " threads at " + text({file, line}));
    t.now = state::at_some;
    t.some = id;
    t.expected = threads;
    t.where = {file, line};
    suspend();
}

value collective(warp_op op, unsigned mask, value mine, int arg, int width, const char *file,
                 int line)
{
    thread &t = *now->current;
    t.now = state::in_warp;
    t.op = op;
    t.mask = mask;
    t.mine = mine;
    t.arg = arg;
    t.width = width;
    t.where = {file, line};
    suspend();
    return t.got;
}

bool running(running_thread *who)
{
    if (!now || !now->current)
        return false;
    const thread &t = *now->current;
    *who = {t.block->number, t.index, t.stack, now->stack_bytes};
    return true;
}

void found(const std::string &what) { fail(what); }

void copy_later(void *dst, const void *src, size_t bytes)
{
    thread &t = *now->current;
    if (observed)
        observed->copy(dst, src, bytes, false);
    if (now->opt.eager_copies)
        std::memcpy(dst, src, bytes);
    if (!now->opt.eager_copies || observed)
        t.copies.push_back({dst, src, bytes, t.copy_group});
}

void copy_commit() { now->current->copy_group++; }

void copy_wait(int groups_left)
{
    thread &t = *now->current;
    size_t kept = 0;
    for (const pending_copy &c : t.copies)
        if (c.group < t.copy_group - groups_left) {
            if (observed)
                observed->copy(c.dst, c.src, c.bytes, true);
            std::memcpy(c.dst, c.src, c.bytes);
        } else
            t.copies[kept++] = c;
    t.copies.resize(kept);
}

} // namespace simt
