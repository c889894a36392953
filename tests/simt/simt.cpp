/* The scheduler behind simt.h: fibers (Boost.Context's assembly switch), barriers, warp
 * collectives, and the checks. One host thread runs everything, so nothing here locks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "races.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
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
std::function<void(const void *, dim3, dim3, size_t, unsigned)> instead_of_run;
observer *observed;

namespace
{

enum class state { ready, at_barrier, at_some, at_cluster, in_warp, spinning, done };

struct site {
    const char *file = nullptr;
    int line = 0;
    bool operator==(const site &o) const
    {
        return line == o.line && (file == o.file || !std::strcmp(file, o.file));
    }
};

struct pending_copy {
    void *dst;
    const void *src;
    size_t bytes;
    int group;
};

struct block_state;

struct alignas(64) thread {
    /* what every switch looks at, in a line of its own */
    ctx::fcontext_t context = nullptr;
    block_state *block = nullptr;
    site where;
    uint3 id = {};
    unsigned index = 0;
    state now = state::ready;
    barrier what = barrier::plain;
    int predicate = 0;
    int some = 0;          /* the barrier, */
    unsigned expected = 0; /* and of how many threads */
    bool came = false;     /* to the barrier of its cluster, */
    unsigned round = 0;    /* the one of this number, and has not waited yet */
    warp_op op = warp_op::sync;
    unsigned mask = 0;
    int arg = 0, width = 32;
    value mine, got;
    char *stack = nullptr;
    void *fake_stack = nullptr;
    int copy_group = 0;
    std::vector<pending_copy> copies;
};

/* Threads that can run, each at most once. */
class queue
{
    std::vector<unsigned> ring; /* a power of two */
    size_t head = 0, count = 0;
    unsigned &at(size_t i) { return ring[(head + i) & (ring.size() - 1)]; }

  public:
    void resize(size_t most)
    {
        size_t room = 1;
        while (room < most)
            room *= 2;
        ring.resize(room);
        head = count = 0;
    }
    size_t size() const { return count; }
    void push_back(unsigned t) { at(count++) = t; }
    void push_front(unsigned t)
    {
        head--;
        count++;
        at(0) = t;
    }
    unsigned pop_front()
    {
        const unsigned t = at(0);
        head++;
        count--;
        return t;
    }
    unsigned pop_back() { return at(--count); }
    unsigned pop_any(size_t i) /* the last one takes its place */
    {
        const unsigned t = at(i);
        at(i) = at(--count);
        return t;
    }
};

struct static_array {
    site where;
    size_t offset;
};

constexpr size_t guard = 256, static_bytes = 48 * 1024;
constexpr unsigned char poison = 0xff, canary = 0xa5;

/* Blocks that start together; NULL: it has ended. */
struct cluster_state {
    std::vector<block_state *> blocks;
    unsigned threads = 0, came = 0, ended = 0;
    unsigned round = 0; /* barriers that all have come to */
    site where;         /* who came last */
};

struct block_state {
    uint3 id = {};
    unsigned number = 0, rank = 0;
    bool begun = false; /* a thread of it has */
    std::shared_ptr<cluster_state> cluster;
    std::vector<thread> threads;
    queue ready;
    unsigned live = 0;
    unsigned waiting = 0, first = 0; /* at the barrier, and who came first */
    int all = 1, any = 0, count = 0; /* of their predicates */
    int result = 0;                  /* of the last barrier */
    unsigned some[16] = {},
             expected[16] = {}; /* at each barrier of some: waiting, and of how many */
    unsigned in_warp[32] = {};  /* of each warp, lanes in a collective */
    unsigned exited[32] = {};
    unsigned spun = 0, rest = 0; /* looks in vain, one after the other; turns to leave out */
    unsigned char *memory = nullptr, *dynamic = nullptr;
    size_t shared = 0, used = 0;
    std::vector<static_array> arrays;
    size_t bytes() const { return static_bytes + guard + shared + guard + 16; }
    ~block_state();
};

/* Xorshift: a launch draws twice at every step. */
struct generator {
    typedef uint64_t result_type;
    uint64_t x = 1;
    void seed(unsigned s)
    {
        x = 0x9e3779b97f4a7c15u * ((uint64_t)s + 1);
        for (int i = 0; i < 8; i++)
            (*this)();
    }
    static constexpr uint64_t min() { return 0; }
    static constexpr uint64_t max() { return UINT32_MAX; }
    size_t below(size_t n) { return (*this)() * n >> 32; }
    uint64_t operator()()
    {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        return x >> 32;
    }
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
    generator random;
    dim3 grid;
    unsigned nthreads = 0, cluster = 1;
    size_t shared = 0;
    std::vector<size_t> unstarted; /* clusters, taken from the back */
    std::vector<std::unique_ptr<block_state>> blocks;
    size_t turn = 0;
    size_t idle = 0; /* steps since anybody did anything but spin */
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

void settle(thread &);
thread *next();

void enter(thread &t)
{
    now->current = &t;
    threadIdx = t.id;
    blockIdx = t.block->id;
    t.block->begun = true;
}

/* Whoever jumped here can be resumed where it did. */
void came_from(ctx::transfer_t t)
{
    if (t.data)
        ((thread *)t.data)->context = t.fctx;
    else
        now->scheduler = t.fctx;
}

/* Another thread's turn; returns when it is this one's. A thread that ends leaves that to the
 * scheduler, since its stack may be given to another. */
void suspend()
{
    thread *const self = now->current;
    ctx::fcontext_t to = now->scheduler;
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(self->now == state::done ? nullptr : &self->fake_stack,
                                   now->scheduler_stack, now->scheduler_stack_size);
#else
    if (self->now != state::done) {
        now->current = nullptr;
        settle(*self);
        if (thread *const t = next()) {
            enter(*t);
            if (t == self)
                return;
            to = t->context;
        }
    }
#endif
    came_from(ctx::jump_fcontext(to, self));
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(self->fake_stack, nullptr, nullptr);
#endif
}

void entry(ctx::transfer_t t)
{
    came_from(t);
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &now->scheduler_stack, &now->scheduler_stack_size);
#endif
    (*now->body)();
    now->current->now = state::done;
    suspend();
}

/* Returns the thread that ended or, under ASan, that waits; NULL if nobody can go on. */
thread *resume(thread &t)
{
    enter(t);
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(&now->scheduler_fake, t.stack, now->stack_bytes);
#endif
    const ctx::transfer_t r = ctx::jump_fcontext(t.context, nullptr);
    thread &from = *(thread *)r.data;
    from.context = r.fctx;
    now->current = nullptr;
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(now->scheduler_fake, nullptr, nullptr);
#endif
    return SIMT_ASAN || from.now == state::done ? &from : nullptr;
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
    b.ready.resize(nthreads);
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
        /* Not all at the same place of a page, which has few places in a cache. */
        const size_t top = now->stack_bytes - i % 16 * 256;
        t.context = ctx::make_fcontext(t.stack + top, top, entry);
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
    const thread &first = b.threads[b.first];
    if (b.live < b.threads.size())
        for (const thread &t : b.threads)
            if (t.now == state::done)
                return fail("divergent barrier: " + name(t) + " exited while thread " +
                            std::to_string(first.index) + " waits at " + text(first.where));
    if (!guards_intact(b))
        return fail("write outside shared memory: " + name(first) + ", seen at " +
                    text(first.where));
    if (observed) {
        std::vector<unsigned> all(b.threads.size());
        for (unsigned i = 0; i < all.size(); i++)
            all[i] = i;
        observed->barrier(b.number, all);
    }
    b.result = first.what == barrier::all ? b.all : first.what == barrier::any ? b.any : b.count;
    b.waiting = 0;
    for (unsigned i = 0; i < b.threads.size(); i++)
        b.ready.push_back(i);
}

void arrive(block_state &b, const thread &t)
{
    if (b.waiting++ == 0) {
        b.first = t.index;
        b.all = 1;
        b.any = b.count = 0;
    }
    const thread &first = b.threads[b.first];
    if (!(t.where == first.where) || t.what != first.what)
        return fail("divergent barrier: " + name(first) + " waits at " + text(first.where) +
                    ", thread " + std::to_string(t.index) + " at " + text(t.where));
    b.all = b.all && t.predicate;
    b.any = b.any || t.predicate;
    b.count += t.predicate != 0;
    check_barrier(b);
}

/* As many threads have arrived at a barrier of some as it is for. */
void check_some(block_state &b, const thread &t)
{
    if (b.some[t.some]++ == 0)
        b.expected[t.some] = t.expected;
    if (b.some[t.some] < t.expected && b.expected[t.some] == t.expected)
        return;
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
    b.some[t.some] = 0;
    for (const unsigned i : here)
        make_ready(b, i);
}

/* The last lane of a collective has arrived: every lane gets its result. */
void check_warp(block_state &b, thread &t)
{
    const unsigned first = t.index / 32 * 32, warp = t.index / 32;
    const unsigned here = b.in_warp[warp] & t.mask;
    if (!(t.mask >> (t.index % 32) & 1))
        return fail("divergent warp: " + name(t) + " at " + text(t.where) + " is not in its mask");
    if (here != t.mask && !(b.exited[warp] & t.mask) && first + 32 <= b.threads.size()) {
        /* Some are still to come: one that has is enough to see that this is another place. */
        const thread &o = b.threads[first + (unsigned)__builtin_ctz(here)];
        if (o.op != t.op || o.mask != t.mask || (t.op != warp_op::sync && !(o.where == t.where)))
            fail("divergent warp: " + name(t) + " at " + text(t.where) + ", lane " +
                 std::to_string(o.index % 32) + " at " + text(o.where));
        return;
    }
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
    if (t.op == warp_op::ballot)
        for (unsigned lane = 0; lane < 32; lane++)
            if ((t.mask >> lane & 1) && b.threads[first + lane].arg)
                ballot |= 1u << lane;
    const unsigned mask = t.mask;
    for (unsigned lane = 0; lane < 32 && t.op != warp_op::sync; lane++) {
        if (!(mask >> lane & 1))
            continue;
        thread &o = b.threads[first + lane];
        const int w = o.width, me = (int)lane & (w - 1), base = (int)lane - me;
        int from = me;
        switch (o.op) {
        case warp_op::shfl: from = o.arg & (w - 1); break;
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
    if (observed && t.op == warp_op::sync) {
        std::vector<unsigned> lanes;
        for (unsigned lane = 0; lane < 32; lane++)
            if (mask >> lane & 1)
                lanes.push_back(first + lane);
        observed->barrier(b.number, lanes);
    }
    b.in_warp[warp] &= ~mask;
    for (unsigned lane = 0; lane < 32; lane++)
        if (mask >> lane & 1)
            make_ready(b, first + lane);
}

/* All threads of a cluster have come: those that wait go on. */
void check_cluster(cluster_state &c)
{
    if (c.came && c.ended)
        return fail("divergent barrier of a cluster: threads have exited while others wait at " +
                    text(c.where));
    if (c.came < c.threads || c.threads == 0)
        return;
    c.came = 0;
    c.round++;
    std::vector<unsigned> numbers;
    for (block_state *b : c.blocks) {
        if (!guards_intact(*b))
            return fail("write outside shared memory: " + name(b->threads[0]) + ", seen at " +
                        text(c.where));
        numbers.push_back(b->number);
        for (unsigned i = 0; i < b->threads.size(); i++)
            if (b->threads[i].now == state::at_cluster)
                make_ready(*b, i);
    }
    if (observed)
        observed->cluster_meets(numbers);
}

void after(thread &t)
{
    block_state &b = *t.block;
    switch (t.now) {
    case state::done:
        if (t.came)
            return fail("a thread exits that has come to a cluster's barrier and not waited: " +
                        name(t) + " at " + text(t.where));
        b.cluster->ended++;
        check_cluster(*b.cluster);
        b.live--;
        b.exited[t.index / 32] |= 1u << t.index % 32;
        check_barrier(b);
        for (unsigned left = b.in_warp[t.index / 32]; left; left &= left - 1) {
            thread &o = b.threads[t.index / 32 * 32 + (unsigned)__builtin_ctz(left)];
            if (o.mask >> (t.index % 32) & 1)
                return check_warp(b, o);
        }
        break;
    case state::at_barrier: arrive(b, t); break;
    case state::at_some:
        if (now->error.empty())
            check_some(b, t);
        break;
    case state::in_warp:
        b.in_warp[t.index / 32] |= 1u << t.index % 32;
        check_warp(b, t);
        break;
    default: break;
    }
}

unsigned pick(block_state &b)
{
    queue &q = b.ready;
    switch (now->opt.how) {
    case order::friendly: break;
    case order::reverse: return q.pop_back();
    case order::random: return q.pop_any(now->random.below(q.size()));
    case order::adversarial:
        if (now->random() % 16)
            return q.pop_back();
        break;
    }
    return q.pop_front();
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

/* The next thread in order, NULL if all have ended or something is wrong. */
thread *next()
{
    auto &blocks = now->blocks;
    if (!now->error.empty())
        return nullptr;
    while (!now->unstarted.empty() && blocks.size() + now->cluster <= now->opt.resident) {
        const size_t first = now->unstarted.back() * now->cluster;
        const size_t x = now->grid.x, y = now->grid.y;
        const auto cluster = std::make_shared<cluster_state>();
        cluster->threads = now->cluster * now->nthreads;
        now->unstarted.pop_back();
        for (size_t i = first; i < first + now->cluster; i++) {
            blocks.push_back(std::make_unique<block_state>());
            block_state &b = *blocks.back();
            start(b, {(unsigned)(i % x), (unsigned)(i / x % y), (unsigned)(i / x / y)},
                  now->nthreads, now->shared);
            b.cluster = cluster;
            b.rank = (unsigned)(i - first);
            cluster->blocks.push_back(&b);
        }
    }
    if (blocks.empty())
        return nullptr;
    if (now->opt.how == order::random)
        now->turn = now->random.below(blocks.size());
    else if (now->opt.how != order::adversarial || now->random() % 64 == 0)
        now->turn++;
    /* Twice, since all may be resting. */
    for (size_t i = 0; i < 2 * blocks.size(); i++, now->turn++) {
        if (now->turn >= blocks.size())
            now->turn = 0;
        block_state &b = *blocks[now->turn];
        if (b.rest && i < blocks.size()) {
            b.rest--;
            continue;
        }
        if (b.ready.size()) {
            thread &t = b.threads[pick(b)];
            t.now = state::ready;
            return &t;
        }
    }
    fail("deadlock: nobody can run" + who_waits(blocks));
    return nullptr;
}

/* What follows from a thread's coming to wait, spin or end. */
void settle(thread &t)
{
    auto &blocks = now->blocks;
    block_state &b = *t.block;
    if (t.now == state::spinning) {
        /* Behind the others, or threads of one block would starve each other. */
        if (now->opt.how == order::reverse || now->opt.how == order::adversarial)
            b.ready.push_front(t.index);
        else
            b.ready.push_back(t.index);
        /* Blocks of which nobody does anything else look less often, where that is no part of
         * the order: half of all turns would be theirs. */
        if (b.ready.size() == 1 &&
            (now->opt.how == order::friendly || now->opt.how == order::reverse))
            b.rest = std::min(b.spun++, 16u);
        /* Everybody gets many chances to look. */
        size_t alive = 0;
        for (const auto &o : blocks)
            alive += o->ready.size();
        if (++now->idle > 20000 + 200 * alive)
            fail("deadlock: everybody who could run spins, " +
                 std::to_string(now->unstarted.size()) + " blocks not started" + who_waits(blocks));
        return;
    }
    now->idle = b.spun = 0;
    after(t);
    if (b.live || !now->error.empty())
        return;
    if (!guards_intact(b))
        return fail("write outside shared memory: " + name(b.threads[0]) +
                    ", seen at the end of the block");
    b.cluster->blocks[b.rank] = nullptr;
    stop(b);
    blocks.erase(
        std::find_if(blocks.begin(), blocks.end(), [&](const auto &o) { return o.get() == &b; }));
}

void schedule(dim3 grid, unsigned nthreads, size_t shared, unsigned cluster)
{
    now->grid = grid;
    now->nthreads = nthreads;
    now->shared = shared;
    now->cluster = cluster;
    now->unstarted.resize((size_t)grid.x * grid.y * grid.z / cluster);
    for (size_t i = 0; i < now->unstarted.size(); i++)
        now->unstarted[i] = i;
    if (!now->opt.ascending_dispatch && now->opt.how == order::random)
        std::shuffle(now->unstarted.begin(), now->unstarted.end(), now->random);
    if (now->opt.ascending_dispatch ||
        (now->opt.how != order::random && now->opt.how != order::reverse))
        std::reverse(now->unstarted.begin(), now->unstarted.end());
    while (thread *const t = next()) {
        thread *const from = resume(*t);
        if (!from)
            break;
        settle(*from);
    }
    now->blocks.clear();
}

} // namespace

unsigned most_cluster(const options &opt)
{
    unsigned most = opt.clusters ? 16 : 1;
    while (most > opt.resident)
        most /= 2;
    return most;
}

std::string run(dim3 grid, dim3 block, size_t shared, unsigned cluster, const options &opt,
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
    if (cluster == 0 || (cluster > 1 && cluster > most_cluster(opt)) || grid.x % cluster != 0)
        return "illegal launch: clusters of " + std::to_string(cluster) + " blocks";
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
    schedule(grid, (unsigned)nthreads, shared, cluster);
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

/* What the running thread does wrong ends the launch. It is told first: what is on the stack of a thread that
 * stops here is never freed. */
static void tell(const std::string &what)
{
    fail(name(*now->current) + " " + what + ", at " + text(now->current->where));
}
[[noreturn]] static void stop_here()
{
    for (;;)
        suspend();
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
    return t.block->result;
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

unsigned cluster_rank() { return now->current->block->rank; }

void cluster_arrive(const char *file, int line)
{
    thread &t = *now->current;
    cluster_state &c = *t.block->cluster;
    t.where = c.where = {file, line};
    if (t.came) {
        tell("comes to a cluster's barrier again before it has waited");
        stop_here();
    }
    t.came = true;
    t.round = c.round;
    c.came++;
    if (observed)
        observed->cluster_arrives();
    check_cluster(c);
}

void cluster_wait(const char *file, int line)
{
    thread &t = *now->current;
    t.where = {file, line};
    if (!t.came) {
        tell("waits at a cluster's barrier to which it has not come");
        stop_here();
    }
    if (t.round == t.block->cluster->round) {
        t.now = state::at_cluster;
        suspend();
    }
    t.came = false;
    if (observed)
        observed->cluster_goes_on();
}

const void *cluster_address(const void *p, size_t bytes, unsigned rank, const char *file, int line)
{
    thread &t = *now->current;
    const block_state &b = *t.block;
    const std::vector<block_state *> &blocks = b.cluster->blocks;
    const unsigned char *const at = (const unsigned char *)p;
    t.where = {file, line};
    if (at < b.dynamic || at + bytes > b.dynamic + b.shared)
        tell("maps what is not in its dynamic shared memory to another block");
    else if (rank >= blocks.size())
        tell("reads shared memory of block " + std::to_string(rank) + " of a cluster of " +
             std::to_string(blocks.size()));
    else if (!blocks[rank] || !blocks[rank]->begun)
        tell("reads shared memory of block " + std::to_string(rank) +
             " of its cluster, which has " + (blocks[rank] ? "not begun" : "ended"));
    else
        return blocks[rank]->dynamic + (at - b.dynamic);
    stop_here();
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
