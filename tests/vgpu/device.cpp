/* See device.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

namespace vgpu
{

std::mutex lock;
std::condition_variable changed;
std::vector<std::unique_ptr<device>> devices;

namespace
{

constexpr size_t page = 4096;
#ifdef __SANITIZE_THREAD__ /* most addresses are its own */
constexpr size_t reach = (size_t)1 << 33;
char *const first_arena = (char *)0x7e9000000000;
#else
constexpr size_t reach = (size_t)1 << 38; /* 256 GiB of addresses for a device */
char *const first_arena = (char *)0x100000000000;
#endif
constexpr unsigned char fresh = 0xff; /* NaN in every type */
/* Around blocks: as a float a NaN that arithmetic changes, as a double huge. */
constexpr unsigned char watched[4] = {0xff, 0xff, 0xbf, 0x7f};

struct pages {
    char *from;
    size_t bytes;
    int rights;
};
enum { most_ranges = vgpu_most_buffers };

} // namespace

struct mailbox { /* shared by the host's process and the device's */
    sem_t go, done;
    enum kind { run, rights, quit } what;
    vgpu_function *f;
    unsigned ranges;
    pages range[most_ranges];
    alignas(64) char arguments[vgpu_most];
    char answer[512];
    double cpu; /* seconds */
    int dead, wrote;
    void *touched;
};

namespace
{

/* ---- In the device's process --------------------------------------------------------------- */

mailbox *mine;

void on_fault(int, siginfo_t *info, void *context)
{
    mine->touched = info->si_addr;
    mine->wrote = ((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] >> 1 & 1;
    mine->dead = info->si_signo;
    sem_post(&mine->done);
    _exit(1);
}

void give(int rights_or_none)
{
    for (unsigned i = 0; i < mine->ranges; i++)
        mprotect(mine->range[i].from, mine->range[i].bytes,
                 rights_or_none < 0 ? mine->range[i].rights : rights_or_none);
}

double cpu_now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The next request. The device ends with its host's process, not with the thread that made it, as it
 * would by PR_SET_PDEATHSIG. */
void wait_for_host(pid_t host)
{
    for (;;) {
        timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_sec++;
        if (sem_timedwait(&mine->go, &soon) == 0)
            return;
        if (getppid() != host)
            _exit(0);
    }
}

[[noreturn]] void be_a_device(mailbox *box, pid_t host)
{
    static char stack[64 * 1024];
    const stack_t other = {stack, 0, sizeof stack};
    struct sigaction act = {};
    mine = box;
    sigaltstack(&other, nullptr);
    act.sa_sigaction = on_fault;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigaction(s, &act, nullptr);
    signal(SIGINT, SIG_IGN);
    for (;;) {
        wait_for_host(host);
        mine->answer[0] = 0;
        if (mine->what == mailbox::quit)
            _exit(0);
        give(-1);
        if (mine->what == mailbox::run) {
            const double t0 = cpu_now();
            if (const char *wrong = mine->f(mine->arguments))
                snprintf(mine->answer, sizeof mine->answer, "%s", wrong);
            mine->cpu = cpu_now() - t0;
            give(PROT_NONE);
        }
        sem_post(&mine->done);
    }
}

/* ---- In the host's process ----------------------------------------------------------------- */

/* Somebody on the host touches device memory: say so, and let it crash. */
void on_host_fault(int, siginfo_t *info, void *)
{
    if (owner(info->si_addr) >= 0) {
        const bool held = lock.try_lock();
        vgpu_defect("the host touches %s", place_of(info->si_addr).c_str());
        if (held)
            lock.unlock();
    }
    signal(SIGSEGV, SIG_DFL);
}

/* Again and again: StarPU sets a handler of its own when it starts. */
void catch_host_faults()
{
    struct sigaction now, act = {};
    sigaction(SIGSEGV, nullptr, &now);
    if (now.sa_sigaction == on_host_fault)
        return;
    act.sa_sigaction = on_host_fault;
    act.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &act, nullptr);
}

/* One request to the device's process, d.calls held. Somebody else may have ended it. */
void ask(device &d)
{
    sem_post(&d.box->go);
    for (;;) {
        timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_sec++;
        if (sem_timedwait(&d.box->done, &soon) == 0)
            return;
        int status = 0;
        if (errno == ETIMEDOUT && waitpid(d.process, &status, WNOHANG) != 0 &&
            sem_trywait(&d.box->done)) {
            d.box->dead = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
            return;
        }
    }
}

void set_rights(device &d, char *from, size_t bytes, int rights)
{
    std::lock_guard<std::mutex> one(d.calls);
    if (d.box->dead)
        return;
    d.box->what = mailbox::rights;
    d.box->range[0] = {from, bytes, rights};
    d.box->ranges = 1;
    ask(d);
}

template <class T> T *shared()
{
    void *p = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? nullptr : (T *)p;
}

void map_memory(device &d)
{
    const size_t bytes = asked().memory;
    const int file = memfd_create("vgpu", 0);
    if (file < 0 || ftruncate(file, (off_t)bytes)) {
        say("no memory for a device");
        exit(97);
    }
    d.arena = (char *)mmap(first_arena + (size_t)d.number * reach, bytes, PROT_NONE,
                           MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file, 0);
    d.alias =
        (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    d.box = shared<mailbox>();
    close(file);
    if (d.arena == MAP_FAILED || d.alias == MAP_FAILED || !d.box) {
        say("no addresses for a device");
        exit(97);
    }
    sem_init(&d.box->go, 1, 0);
    sem_init(&d.box->done, 1, 0);
    d.free[d.arena] = bytes;
    d.last = d.arena;
}

/* The bytes around a block that nobody may write: "" or what was found. Through the alias. */
std::string spoilt(const device &d, const char *at, const block &b)
{
    const auto find = [&](const char *from, const char *to) {
        for (const char *c = from; c < to; c++)
            if ((unsigned char)d.alias[c - d.arena] != watched[(uintptr_t)c % sizeof watched])
                return c;
        return (const char *)nullptr;
    };
    char text[128] = "";
    if (asked().dry)
        return text;
    if (const char *c = find(at + b.bytes, b.start + b.room))
        snprintf(text, sizeof text, "%td bytes behind a block of %zu bytes", c - (at + b.bytes),
                 b.bytes);
    else if (const char *e = find(b.start, at))
        snprintf(text, sizeof text, "%td bytes before a block of %zu bytes", at - e, b.bytes);
    return text;
}

/* Cut from what is free, after the last cut if possible: freed addresses rest. lock held. */
char *cut(device &d, size_t room)
{
    const auto fits = [&](std::map<char *, size_t>::iterator from,
                          std::map<char *, size_t>::iterator to) {
        return std::find_if(from, to, [&](const auto &f) { return f.second >= room; });
    };
    auto f = fits(d.free.lower_bound(d.last), d.free.end());
    if (f == d.free.end())
        f = fits(d.free.begin(), d.free.end());
    if (f == d.free.end())
        return nullptr;
    char *at = f->first;
    const size_t left = f->second - room;
    d.free.erase(f);
    if (left)
        d.free[at + room] = left;
    d.last = at + room;
    return at;
}

void put_back(device &d, char *at, size_t room)
{
    auto next = d.free.lower_bound(at);
    if (next != d.free.end() && at + room == next->first) {
        room += next->second;
        next = d.free.erase(next);
    }
    if (next != d.free.begin()) {
        auto before_it = std::prev(next);
        if (before_it->first + before_it->second == at) {
            before_it->second += room;
            return;
        }
    }
    d.free[at] = room;
}

/* Why a kernel may not have touched what it touched. */
std::string fault_of(device &d, const char *name, const grant &g)
{
    if (d.box->dead != SIGSEGV && d.box->dead != SIGBUS)
        return std::string(name) + " ends with signal " + std::to_string(d.box->dead);
    std::lock_guard<std::mutex> hold(lock);
    std::string why = place_of(d.box->touched);
    char *at = nullptr;
    const block *b = block_of(d.box->touched, 1, &at);
    if (b && owner(d.box->touched) == d.number && b->closed) {
        why += ", which the task does not name";
        for (const grant::one &o : g.blocks)
            if (o.at == at && o.reads_only)
                why = place_of(d.box->touched) + ", buffer " + std::to_string(o.buffer) +
                      ", which the task only reads";
    }
    return std::string(name) + (d.box->wrote ? " writes " : " reads ") + why;
}

} // namespace

bool in_a_device() { return mine != nullptr; }

void make_devices()
{
    for (int i = 0; i < asked().devices; i++) {
        devices.push_back(std::make_unique<device>());
        devices.back()->number = i;
        map_memory(*devices.back());
    }
    fflush(nullptr);
    const pid_t host = getpid();
    for (auto &d : devices) {
        d->process = fork();
        if (d->process == 0) {
            for (auto &x : devices)
                munmap(x->alias, asked().memory);
            be_a_device(d->box, host);
        }
        if (d->process < 0) {
            say("no process for a device");
            exit(97);
        }
    }
    catch_host_faults();
}

void end_devices()
{
    for (auto &d : devices) {
        for (const auto &b : d->live) {
            const std::string s = spoilt(*d, b.first, b.second);
            if (!s.empty())
                vgpu_defect("device %d: something wrote %s, never freed", d->number, s.c_str());
        }
        d->box->what = mailbox::quit;
        sem_post(&d->box->go);
    }
}

int owner(const void *p)
{
    const char *a = (const char *)p;
    if (a < first_arena || a >= first_arena + devices.size() * reach)
        return -1;
    return (int)((a - first_arena) / (ptrdiff_t)reach);
}

const block *block_of(const void *p, size_t bytes, char **at)
{
    const int d = owner(p);
    if (d < 0)
        return nullptr;
    auto it = devices[(size_t)d]->live.upper_bound((char *)p);
    if (it == devices[(size_t)d]->live.begin())
        return nullptr;
    --it;
    if (at)
        *at = it->first;
    return (char *)p + bytes <= it->first + it->second.bytes ? &it->second : nullptr;
}

std::string place_of(const void *p)
{
    char text[256];
    const int d = owner(p);
    if (d < 0) {
        snprintf(text, sizeof text, "%p, which is not device memory", p);
        return text;
    }
    char *at = nullptr;
    const char *c = (const char *)p;
    if (const block *b = block_of(p, 1, &at)) {
        snprintf(text, sizeof text, "byte %td of a block of %zu bytes of device %d", c - at,
                 b->bytes, d);
        return text;
    }
    const auto &live = devices[(size_t)d]->live;
    const auto next = live.upper_bound((char *)p);
    const ptrdiff_t far = (ptrdiff_t)page;
    ptrdiff_t behind = far, before_next = far;
    if (next != live.begin())
        behind = c - (std::prev(next)->first + (ptrdiff_t)std::prev(next)->second.bytes);
    if (next != live.end())
        before_next = next->first - c;
    if (behind < far && behind < before_next)
        snprintf(text, sizeof text, "%td bytes behind a block of %zu bytes of device %d", behind,
                 std::prev(next)->second.bytes, d);
    else if (before_next < far)
        snprintf(text, sizeof text, "%td bytes before a block of %zu bytes of device %d",
                 before_next, next->second.bytes, d);
    else
        snprintf(text, sizeof text, "%p, memory of device %d that is not allocated", p, d);
    return text;
}

char *through(const void *p)
{
    const int d = owner(p);
    return d < 0 ? (char *)p : devices[(size_t)d]->alias + ((char *)p - devices[(size_t)d]->arena);
}

cudaError_t allocate(device &d, void **p, size_t bytes, bool closed)
{
    const size_t align = closed ? 16 : 256, asked_for = bytes ? bytes : 1;
    const size_t rounded = (asked_for + align - 1) / align * align;
    const size_t room = (rounded + page - 1) / page * page;
    char *start, *at;
    {
        std::lock_guard<std::mutex> hold(lock);
        catch_host_faults();
        start = cut(d, room + page);
        if (!start)
            return cudaErrorMemoryAllocation;
        at = start + (room - rounded);
        d.live[at] = {bytes, start, room, closed};
        d.used += room + page;
    }
    char *const alias = d.alias + (start - d.arena);
    const size_t before = room - rounded;
    const auto watch = [&](size_t from, size_t to) {
        for (size_t i = from; i < to; i++)
            alias[i] = (char)watched[i % sizeof watched];
    };
    if (!asked().dry) {
        watch(0, before);
        memset(alias + before, fresh, bytes);
        watch(before + bytes, room);
    }
    *p = at;
    if (!closed)
        set_rights(d, start, room, PROT_READ | PROT_WRITE);
    return cudaSuccess;
}

cudaError_t release(void *p)
{
    const int o = owner(p);
    if (o < 0) {
        vgpu_defect("%p is freed, which is not device memory", p);
        return cudaErrorInvalidValue;
    }
    device &d = *devices[(size_t)o];
    block b;
    {
        std::lock_guard<std::mutex> hold(lock);
        const auto it = d.live.find((char *)p);
        if (it == d.live.end()) {
            vgpu_defect("what is freed is %s", place_of(p).c_str());
            return cudaErrorInvalidValue;
        }
        b = it->second;
        const std::string s = spoilt(d, it->first, b);
        if (!s.empty())
            vgpu_defect("device %d: something wrote %s", o, s.c_str());
        d.live.erase(it);
    }
    set_rights(d, b.start, b.room, PROT_NONE);
    std::lock_guard<std::mutex> hold(lock);
    d.used -= b.room + page;
    put_back(d, b.start, b.room + page);
    return cudaSuccess;
}

std::string run_there(device &d, vgpu_function *f, const void *arguments, size_t bytes,
                      const char *name, const grant &g, double *cpu_seconds)
{
    std::lock_guard<std::mutex> one(d.calls);
    mailbox *box = d.box;
    if (box->dead)
        return std::string(name) + ": the device is dead";
    box->what = mailbox::run;
    box->f = f;
    memcpy(box->arguments, arguments, bytes);
    box->ranges = 0;
    {
        std::lock_guard<std::mutex> hold(lock);
        for (const grant::one &o : g.blocks) {
            const auto it = d.live.find(o.at);
            if (it != d.live.end())
                box->range[box->ranges++] = {it->second.start, it->second.room,
                                             o.reads_only ? PROT_READ : PROT_READ | PROT_WRITE};
        }
    }
    ask(d);
    if (box->dead)
        return fault_of(d, name, g);
    *cpu_seconds = box->cpu;
    if (box->answer[0])
        return std::string(name) + ": " + box->answer;
    std::lock_guard<std::mutex> hold(lock);
    for (const grant::one &o : g.blocks) {
        const auto it = d.live.find(o.at);
        const std::string s = it == d.live.end() ? "" : spoilt(d, it->first, it->second);
        if (!s.empty())
            return std::string(name) + " writes " + s + ", buffer " + std::to_string(o.buffer);
    }
    return "";
}

} // namespace vgpu
