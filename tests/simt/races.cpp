/* Finds accesses of a launch that no chain of synchronisation orders, in device code compiled with
 * -fsanitize=thread: the calls that g++ puts before every load and store come here instead of to
 * its own library, and vector clocks tell whether the earlier access happened before.
 *
 *   __syncthreads      orders all threads of the block
 *   __syncwarp         the lanes of its mask; shuffles and votes order nothing
 *   cluster_arrive     publishes what its thread knows to all of the cluster, who take it over with
 *                      cluster_wait
 *   st_release         publishes what its thread knows, ld_acquire of the same word takes it over
 *   atomics, volatile  publish what the thread knew at its last fence; what they read takes effect
 *                      at the reader's next fence. __threadfence_block: within a block only
 *   copy_async         writes from where it is issued to where it is waited for
 *
 * So a launch that passes does so on any device, however late or out of order its stores arrive;
 * in particular, a missing fence or a barrier too few is found though the emulator's memory is
 * in order. Two writes by one instruction are left to the comparison of orders: flags are set so,
 * by whoever has a reason. A word keeps its last write and up to three reads since; accesses of
 * less than four bytes are not looked at. (Flanagan, Freund: FastTrack, PLDI 2009; scopes as in the
 * PTX manual, memory consistency model.)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "races.h"

#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

namespace simt
{
namespace
{

typedef uint32_t tick;
constexpr tick under_way = UINT32_MAX;                  /* of a copy that has not been waited for */
typedef std::shared_ptr<const std::vector<tick>> ticks; /* of the threads of a block */
typedef std::map<unsigned, ticks> knowledge;            /* by block: what has happened before */
typedef std::shared_ptr<const knowledge> known;

known join(const known &a, const known &b)
{
    if (!b || a == b)
        return a;
    if (!a)
        return b;
    auto both = std::make_shared<knowledge>(*a);
    for (const auto &[block, theirs] : *b) {
        ticks &mine = (*both)[block];
        if (mine == theirs)
            continue;
        auto later = std::make_shared<std::vector<tick>>(*theirs);
        if (mine)
            for (size_t i = 0; i < later->size(); i++)
                (*later)[i] = std::max((*later)[i], (*mine)[i]);
        mine = later;
    }
    return both;
}

struct thread_clock {
    known knows;
    tick own = 1;
    known at_fence, at_block_fence; /* what an atomic publishes: to all, to its block */
    known seen, seen_here;          /* read by atomics, until a fence of that scope */
    known came;                     /* what it knew when it came to the barrier of its cluster */
    tick came_at = 0;
};

/* What a word was last released with. */
struct released {
    known to_all, to_block;
    unsigned block;
};

struct access {
    uint32_t thread = 0; /* 1024 block + thread */
    tick at = 0;         /* 0: none */
    uint32_t code = 0;   /* where, from the start of the program */
    bool atomic = false;
};
struct word {
    access write, read[3];
};

constexpr uintptr_t page_bytes = 4096;
struct page {
    word of[page_bytes / 4];
};

class detector : public observer
{
    std::unordered_map<unsigned, std::vector<thread_clock>> blocks;
    std::unordered_map<uintptr_t, std::unique_ptr<page>> pages;
    std::unordered_map<const void *, released> words;
    std::unordered_map<unsigned, known> met; /* by block: what its cluster knew when all had come */
    struct {
        uintptr_t number = 0;
        page *p = nullptr;
    } recent[64];
    std::minstd_rand random;

    page &page_of(uintptr_t number)
    {
        auto &r = recent[number % 64];
        if (r.number != number || !r.p) {
            std::unique_ptr<page> &p = pages[number];
            if (!p)
                p = std::make_unique<page>();
            r = {number, p.get()};
        }
        return *r.p;
    }
    thread_clock &clock_of(const running_thread &t) { return blocks.at(t.block)[t.thread]; }

    bool before(const access &a, const running_thread &t, const thread_clock &c) const
    {
        if (a.thread == t.block * 1024 + t.thread)
            return a.at != under_way;
        if (!c.knows)
            return false;
        const auto it = c.knows->find(a.thread / 1024);
        return it != c.knows->end() && (*it->second)[a.thread % 1024] >= a.at;
    }
    /* What t knows and has done. */
    known with_own(const running_thread &t, const thread_clock &c) const
    {
        auto k = c.knows ? std::make_shared<knowledge>(*c.knows) : std::make_shared<knowledge>();
        ticks &mine = (*k)[t.block];
        auto all = mine ? std::make_shared<std::vector<tick>>(*mine)
                        : std::make_shared<std::vector<tick>>(blocks.at(t.block).size());
        (*all)[t.thread] = c.own;
        mine = all;
        return k;
    }
    static std::string text(const access &a, bool writes)
    {
        char s[120];
        std::snprintf(s, sizeof s, "block %u thread %u %s%s at 0x%x", a.thread / 1024,
                      a.thread % 1024, a.atomic ? "atomically " : "", writes ? "writes" : "reads",
                      a.code);
        return s;
    }
    void clash(const std::string &is, const access &was, bool wrote)
    {
        found("race: " + is + ", and nothing orders it after: " + text(was, wrote) +
              "; see addr2line -Cfie PROGRAM ADDRESS");
    }

  public:
    void launch_ends() override
    {
        blocks.clear();
        pages.clear();
        words.clear();
        met.clear();
        for (auto &r : recent)
            r = {};
    }
    void block_starts(unsigned block, unsigned threads, const void *, size_t) override
    {
        blocks[block].assign(threads, thread_clock());
    }
    /* Its shared memory is nobody's now: blocks of its cluster must be done with it. */
    void block_ends(unsigned block, const void *shared, size_t bytes) override
    {
        known all;
        for (const thread_clock &c : blocks[block])
            all = join(all, c.knows);
        const auto late = [&](const access &a) {
            const unsigned other = a.thread / 1024;
            if (!a.at || other == block)
                return false;
            return !all || !all->count(other) || (*all->at(other))[a.thread % 1024] < a.at;
        };
        blocks.erase(block);
        const uintptr_t end = (uintptr_t)shared + bytes;
        for (uintptr_t p = (uintptr_t)shared / page_bytes; p <= end / page_bytes; p++)
            for (uintptr_t i = 0; pages.count(p) && i < page_bytes / 4; i++)
                if (p * page_bytes + 4 * i >= (uintptr_t)shared && p * page_bytes + 4 * i < end) {
                    word &w = pages[p]->of[i];
                    for (const access &r : w.read)
                        if (late(r))
                            clash("block " + std::to_string(block) + " ends", r, false);
                    w = word();
                }
    }
    void barrier(unsigned block, const std::vector<unsigned> &threads) override
    {
        std::vector<thread_clock> &of = blocks.at(block);
        known all;
        for (const unsigned i : threads)
            all = join(all, of[i].knows);
        auto k = all ? std::make_shared<knowledge>(*all) : std::make_shared<knowledge>();
        ticks &mine = (*k)[block];
        auto now = mine ? std::make_shared<std::vector<tick>>(*mine)
                        : std::make_shared<std::vector<tick>>(of.size());
        for (const unsigned i : threads)
            (*now)[i] = of[i].own++;
        mine = now;
        for (const unsigned i : threads)
            of[i].knows = k;
    }
    void fence(bool all) override
    {
        running_thread t;
        if (!running(&t))
            return;
        thread_clock &c = clock_of(t);
        c.knows = join(c.knows, c.seen_here);
        if (all)
            c.knows = join(c.knows, c.seen);
        c.at_block_fence = with_own(t, c);
        if (all)
            c.at_fence = c.at_block_fence;
        c.own++;
    }
    void release(const void *p) override
    {
        running_thread t;
        if (!running(&t))
            return;
        touch(p, 4, true, true, __builtin_return_address(0));
        thread_clock &c = clock_of(t);
        const known k = with_own(t, c);
        words[p] = {k, k, t.block};
        c.own++;
    }
    void acquire(const void *p) override
    {
        running_thread t;
        if (!running(&t))
            return;
        touch(p, 4, false, true, __builtin_return_address(0));
        const auto it = words.find(p);
        if (it == words.end())
            return;
        thread_clock &c = clock_of(t);
        c.knows = join(c.knows, it->second.to_all);
        if (it->second.block == t.block)
            c.knows = join(c.knows, it->second.to_block);
    }
    void relaxed(const void *p, size_t bytes, bool reads, bool writes, const void *code)
    {
        running_thread t;
        if (!running(&t))
            return;
        touch(p, bytes, writes, true, code);
        thread_clock &c = clock_of(t);
        const auto it = words.find(p);
        if (reads && it != words.end()) {
            const released &r = it->second;
            c.seen = join(c.seen, r.to_all);
            if (r.block == t.block)
                c.seen_here = join(join(c.seen_here, r.to_all), r.to_block);
        }
        if (writes) {
            released now = {c.at_fence, c.at_block_fence, t.block};
            if (reads && it != words.end()) { /* what others released into it stays */
                now.to_all = join(now.to_all, it->second.to_all);
                if (it->second.block == t.block)
                    now.to_block = join(now.to_block, it->second.to_block);
            }
            words[p] = now;
        }
    }
    void atomic(const void *p, size_t bytes) override
    {
        relaxed(p, bytes, true, true, __builtin_return_address(0));
    }
    void copy(void *dst, const void *src, size_t bytes, bool done) override
    {
        touch(src, bytes, false, false, __builtin_return_address(0));
        touch(dst, bytes, true, false, __builtin_return_address(0), done ? ENDS : BEGINS);
    }
    void cluster_arrives() override
    {
        running_thread t;
        if (!running(&t))
            return;
        thread_clock &c = clock_of(t);
        c.came = c.knows;
        c.came_at = c.own++;
    }
    void cluster_meets(const std::vector<unsigned> &numbers) override
    {
        known all;
        for (const unsigned b : numbers)
            for (const thread_clock &c : blocks.at(b))
                all = join(all, c.came);
        auto k = all ? std::make_shared<knowledge>(*all) : std::make_shared<knowledge>();
        for (const unsigned b : numbers) {
            const std::vector<thread_clock> &of = blocks.at(b);
            auto now = std::make_shared<std::vector<tick>>(of.size());
            for (size_t i = 0; i < of.size(); i++)
                (*now)[i] = of[i].came_at;
            (*k)[b] = now;
        }
        for (const unsigned b : numbers)
            met[b] = k;
    }
    void cluster_goes_on() override
    {
        running_thread t;
        if (!running(&t))
            return;
        thread_clock &c = clock_of(t);
        c.knows = c.knows == c.came ? met.at(t.block) : join(c.knows, met.at(t.block));
    }
    enum write_kind { AT_ONCE, BEGINS, ENDS };
    void touch(const void *p, size_t bytes, bool writes, bool atomic, const void *code,
               write_kind kind = AT_ONCE)
    {
        running_thread t;
        if (bytes < 4 || !running(&t) ||
            ((const char *)p >= t.stack && (const char *)p < t.stack + t.stack_bytes))
            return;
        const thread_clock &c = clock_of(t);
        const access is = {t.block * 1024 + t.thread, kind == BEGINS ? under_way : c.own,
                           offset(code), atomic};
        for (uintptr_t at = (uintptr_t)p & ~(uintptr_t)3; at < (uintptr_t)p + bytes; at += 4) {
            word &w = page_of(at / page_bytes).of[at % page_bytes / 4];
            const bool mine = kind == ENDS && w.write.thread == is.thread;
            const bool same_place = writes && w.write.code == is.code;
            if (w.write.at && !mine && !same_place && !(atomic && w.write.atomic) &&
                !before(w.write, t, c))
                clash(text(is, writes), w.write, true);
            if (!writes) {
                access *slot = nullptr;
                for (access &r : w.read)
                    if (!r.at || r.thread == is.thread)
                        slot = slot ? slot : &r;
                for (access &r : w.read)
                    if (!slot && before(r, t, c))
                        slot = &r;
                *(slot ? slot : &w.read[random() % 3]) = is;
                continue;
            }
            for (access &r : w.read) {
                if (r.at && !(atomic && r.atomic) && !before(r, t, c))
                    clash(text(is, true), r, false);
                r = access();
            }
            w.write = is;
        }
    }
    static uint32_t offset(const void *code)
    {
        static const char *start = [] {
            Dl_info here = {};
            dladdr((const void *)offset, &here);
            return (const char *)here.dli_fbase;
        }();
        return (uint32_t)((const char *)code - start);
    }
};

detector the_detector;
[[maybe_unused]] const bool installed = (observed = &the_detector, true);

} // namespace
} // namespace simt

/* ---- What g++ calls ------------------------------------------------------------------------ */

#define HERE __builtin_return_address(0)
#define ACCESS(bytes)                                                                              \
    void __tsan_read##bytes(void *p) { simt::the_detector.touch(p, bytes, false, false, HERE); }   \
    void __tsan_write##bytes(void *p) { simt::the_detector.touch(p, bytes, true, false, HERE); }   \
    void __tsan_unaligned_read##bytes(void *p)                                                     \
    {                                                                                              \
        simt::the_detector.touch(p, bytes, false, false, HERE);                                    \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *p)                                                    \
    {                                                                                              \
        simt::the_detector.touch(p, bytes, true, false, HERE);                                     \
    }                                                                                              \
    void __tsan_volatile_read##bytes(void *p)                                                      \
    {                                                                                              \
        simt::the_detector.relaxed(p, bytes, true, false, HERE);                                   \
    }                                                                                              \
    void __tsan_volatile_write##bytes(void *p)                                                     \
    {                                                                                              \
        simt::the_detector.relaxed(p, bytes, false, true, HERE);                                   \
    }
extern "C" {
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void *p, size_t bytes)
{
    simt::the_detector.touch(p, bytes, false, false, HERE);
}
void __tsan_write_range(void *p, size_t bytes)
{
    simt::the_detector.touch(p, bytes, true, false, HERE);
}
/* Whether a static variable of host code is there already. */
unsigned char __tsan_atomic8_load(const volatile unsigned char *p, int) { return *p; }
void __tsan_init(void) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
}
