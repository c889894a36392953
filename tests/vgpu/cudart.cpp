/* libcudart for virtual devices: the calls of StarPU's CUDA driver and of this project.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "pages.h"
#include "record.h"
#include "stream.h"

using namespace vgpu;

namespace
{

constexpr size_t most_cut = 4 << 20; /* StarPU cuts smaller buffers from larger blocks */

thread_local int current;
thread_local cudaError_t last;
thread_local const void *caller; /* of the entry that this thread is in */
bool workers_rest;
thread_local size_t exact_bytes; /* what the next cudaMalloc is for: a buffer of so many */

/* ---- Start and end ------------------------------------------------------------------------- */

std::string folder_of(const char *file)
{
    char *real = realpath(file, nullptr);
    const std::string path = real ? real : file;
    free(real);
    return path.substr(0, path.rfind('/'));
}

/* The real libraries beside the stand-ins would compute with memory that is not there. */
int is_real(dl_phdr_info *info, size_t, void *)
{
    const char *n = info->dlpi_name;
    Dl_info own;
    if ((strstr(n, "/libcublas") || strstr(n, "/libcusparse")) && dladdr((void *)is_real, &own) &&
        folder_of(n) != folder_of(own.dli_fname)) {
        say("%s is loaded: put the directory of the stand-ins into LD_LIBRARY_PATH", n);
        return 1;
    }
    return 0;
}

void finish()
{
    stop_workers();
    end_devices();
    look_for_left_pages();
    write_record();
    if (const int bad = verdict()) {
        fflush(nullptr);
        _exit(bad);
    }
}

void start()
{
    if (dl_iterate_phdr(is_real, nullptr))
        exit(97);
    make_devices();
    start_workers();
    atexit(finish);
}

/* Every entry begins so: true if this call is to fail. */
bool begin(const char *name)
{
    static std::once_flag once;
    if (in_a_device()) {
        say("%s is called by device code", name);
        abort();
    }
    std::call_once(once, start);
    if (asked().log)
        say("%s (device %d)", name, current);
    return told_to_fail(name);
}

cudaError_t end(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last = e;
    return e;
}

device &here() { return *devices[(size_t)current]; }
device &device_of(const CUstream_st *s) { return *devices[(size_t)s->device]; }

CUstream_st *stream_of(cudaStream_t s)
{
    return s && s != cudaStreamLegacy && s != cudaStreamPerThread ? s : here().legacy;
}

/* The task whose codelet calls, if one does: StarPU copies data with its next task in hand. */
const vgpu_task *task_now()
{
    static thread_local vgpu_task t;
    Dl_info info;
    if (dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libstarpu"))
        return nullptr;
    return vgpu_task_now(&t) ? &t : nullptr;
}

/* A codelet's work belongs to the stream of its worker: on another nothing orders it. */
cudaError_t check_stream(const char *what, const CUstream_st *s, const vgpu_task *t)
{
    if (s->device != current) {
        vgpu_defect("%s: a stream of device %d while device %d is current", what, s->device,
                    current);
        return cudaErrorInvalidResourceHandle;
    }
    if (t && s != (CUstream_st *)t->stream) {
        vgpu_defect("%s of codelet %s is not on the stream of its worker", what, t->codelet);
        return cudaErrorInvalidResourceHandle;
    }
    return cudaSuccess;
}

/* ---- Launches ------------------------------------------------------------------------------ */

bool is_lost(const vgpu_task *t)
{
    const std::string all = std::string(",") + asked().lost + ",";
    return all.find(std::string(",") + (t ? t->codelet : "-") + ",") != std::string::npos;
}

/* lock held. The blocks of the task's buffers, those written first. */
grant grant_of(const vgpu_task *t)
{
    grant g;
    if (t)
        g.codelet = t->codelet;
    for (unsigned i = 0; t && i < t->buffers && t->buffers <= vgpu_most_buffers; i++) {
        char *at = nullptr;
        const block *b = block_of(t->buffer[i].p, 1, &at);
        if (!b || !b->closed)
            continue;
        grant::one *known = nullptr;
        for (grant::one &o : g.blocks)
            if (o.at == at)
                known = &o;
        if (known)
            known->reads_only = known->reads_only && t->buffer[i].reads_only;
        else
            g.blocks.push_back({at, t->buffer[i].reads_only != 0, i});
    }
    return g;
}

/* ---- Copies -------------------------------------------------------------------------------- */

struct copy_plan {
    const char *name;
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, width, height;
};

bool good_end(const char *name, const void *p, bool on_device, size_t bytes)
{
    if (on_device ? block_of(p, bytes) != nullptr : owner(p) < 0)
        return true;
    vgpu_defect("%s: %zu bytes at %s%s", name, bytes, place_of(p).c_str(),
                on_device ? "" : ", where host memory should be");
    return false;
}

bool goes_to_device(const void *p, cudaMemcpyKind k)
{
    return k == cudaMemcpyDefault ? owner(p) >= 0
                                  : k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice;
}
bool comes_from_device(const void *p, cudaMemcpyKind k)
{
    return k == cudaMemcpyDefault ? owner(p) >= 0
                                  : k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice;
}

/* An end of a copy in main memory. 0: locked in part, which the driver refuses. */
int good_pages(const char *name, const void *p, size_t bytes, bool *locked)
{
    const held h = is_locked(p, bytes);
    *locked = h == held::whole;
    if (h != held::in_part)
        return 1;
    vgpu_defect("%s: of %zu bytes at %p some are page-locked and some are not", name, bytes, p);
    return 0;
}

/* Pageable memory is read before the call returns, and written before it returns. */
cudaError_t copy_on(copy_plan c, cudaMemcpyKind kind, CUstream_st *s, bool wait)
{
    if (!c.width || !c.height)
        return cudaSuccess;
    const vgpu_task *t = wait ? nullptr : task_now();
    holding hold(lock);
    const bool to_device = goes_to_device(c.to, kind),
               from_device = comes_from_device(c.from, kind);
    const size_t from_span = (c.height - 1) * c.from_pitch + c.width;
    const size_t to_span = (c.height - 1) * c.to_pitch + c.width;
    bool reads_locked = true, writes_locked = true;
    if (!good_end(c.name, c.to, to_device, to_span) ||
        !good_end(c.name, c.from, from_device, from_span) ||
        (!from_device && !good_pages(c.name, c.from, from_span, &reads_locked)) ||
        (!to_device && !good_pages(c.name, c.to, to_span, &writes_locked)))
        return cudaErrorInvalidValue;
    if (const cudaError_t e = t ? check_stream(c.name, s, t) : cudaSuccess)
        return e;
    count_copy(owner(c.from), owner(c.to), c.width * c.height, reads_locked && writes_locked);
    char *const to = through(c.to);
    const char *from = through(c.from);
    std::shared_ptr<std::vector<char>> staged;
    if (!wait && !reads_locked && !asked().dry) {
        staged = std::make_shared<std::vector<char>>(from, from + from_span);
        from = staged->data();
    }
    wait = wait || !writes_locked;
    operation o;
    o.what = operation::copy;
    o.act = [=] {
        (void)staged;
        for (size_t j = 0; j < c.height && !asked().dry; j++)
            memmove(to + j * c.to_pitch, from + j * c.from_pitch, c.width);
        return std::string();
    };
    const cudaError_t e = submit(hold, s, std::move(o));
    if (e == cudaSuccess && wait)
        wait_for(hold, [s] { return s->idle(); });
    return e != cudaSuccess ? e : device_of(s).sticky;
}

cudaError_t flat(const char *name, void *to, const void *from, size_t n, cudaMemcpyKind k,
                 CUstream_st *s, bool wait)
{
    return copy_on({name, to, from, n, n, n, 1}, k, s, wait);
}

cudaError_t peer(const char *name, void *to, int to_device, const void *from, int from_device,
                 size_t n, CUstream_st *s, bool wait)
{
    if (owner(to) != to_device || owner(from) != from_device) {
        vgpu_defect("%s: device %d does not have %p, or device %d not %p", name, to_device, to,
                    from_device, from);
        return cudaErrorInvalidValue;
    }
    return copy_on({name, to, from, n, n, n, 1}, cudaMemcpyDeviceToDevice, s, wait);
}

cudaError_t planes(const char *name, cudaPitchedPtr to, cudaPos tp, cudaPitchedPtr from, cudaPos fp,
                   cudaExtent x, CUstream_st *s, bool wait)
{
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < x.depth && e == cudaSuccess; z++)
        e = copy_on({name, (char *)to.ptr + tp.x + (tp.y + (tp.z + z) * to.ysize) * to.pitch,
                     (char *)from.ptr + fp.x + (fp.y + (fp.z + z) * from.ysize) * from.pitch,
                     to.pitch, from.pitch, x.width, x.height},
                    cudaMemcpyDefault, s, wait);
    return e;
}

cudaError_t set_on(const char *name, void *to, int value, size_t n, CUstream_st *s, bool wait)
{
    if (!n)
        return cudaSuccess;
    const vgpu_task *t = wait ? nullptr : task_now();
    holding hold(lock);
    if (!good_end(name, to, true, n))
        return cudaErrorInvalidValue;
    if (const cudaError_t e = t ? check_stream(name, s, t) : cudaSuccess)
        return e;
    operation o;
    char *const at = through(to);
    o.what = operation::copy;
    o.act = [=] {
        if (!asked().dry)
            memset(at, value, n);
        return std::string();
    };
    const cudaError_t e = submit(hold, s, std::move(o));
    if (e == cudaSuccess && wait)
        wait_for(hold, [s] { return s->idle(); });
    return e;
}

/* What the driver calls a device's features; an H200's unless VGPU_SM says otherwise. */
const struct {
    cudaDeviceAttr name;
    int value;
} attributes[] = {
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)vgpu_most_shared()},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrComputeCapabilityMajor, vgpu_capability() / 10},
    {cudaDevAttrComputeCapabilityMinor, vgpu_capability() % 10},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrCooperativeLaunch, 1},
};

} // namespace

extern "C" {

#define BEGIN(e)                                                                                   \
    caller = __builtin_return_address(0);                                                          \
    if (begin(__func__))                                                                           \
    return end(e)

cudaError_t vgpu_launch(cudaStream_t stream, vgpu_function *f, const void *arguments, size_t bytes,
                        const char *what, size_t blocks)
{
    BEGIN(cudaErrorLaunchOutOfResources);
    if (bytes > vgpu_most)
        return end(cudaErrorInvalidValue);
    const vgpu_task *t = task_now();
    const bool dies = told_to_fail("kernel"), lost = asked().dry || is_lost(t);
    holding hold(lock);
    CUstream_st *s = stream_of(stream);
    if (const cudaError_t e = check_stream(what, s, t))
        return end(e);
    operation o;
    device *const d = &device_of(s);
    const grant g = grant_of(t);
    tally *const count = launches_of(current, t, what);
    const std::string name = t ? std::string(what) + " of codelet " + t->codelet : what;
    const std::vector<char> copied((const char *)arguments, (const char *)arguments + bytes);
    o.what = operation::kernel;
    o.planned = dies;
    o.act = [=] {
        if (dies)
            return name + ": told to fail";
        double seconds = 0;
        const std::string wrong =
            lost ? "" : run_there(*d, f, copied.data(), copied.size(), name.c_str(), g, &seconds);
        std::lock_guard<std::mutex> h(lock);
        count->times++;
        count->blocks += blocks;
        count->seconds += seconds;
        return wrong;
    };
    return end(submit(hold, s, std::move(o)));
}

size_t vgpu_carried(int home)
{
    holding hold(lock);
    return carried(home);
}

void vgpu_count_handle(void)
{
    caller = __builtin_return_address(0);
    const vgpu_task *t = task_now();
    holding hold(lock);
    count_handle(current, t);
}

/* ---- Devices ------------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *n)
{
    BEGIN(cudaErrorNoDevice);
    *n = (int)devices.size();
    return end(*n ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int d)
{
    BEGIN(cudaErrorInvalidDevice);
    if (d < 0 || d >= (int)devices.size())
        return end(cudaErrorInvalidDevice);
    current = d;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *d)
{
    BEGIN(cudaErrorInvalidDevice);
    *d = current;
    return cudaSuccess;
}
cudaError_t cudaGetLastError(void)
{
    const cudaError_t e = last;
    last = cudaSuccess;
    return e;
}
cudaError_t cudaPeekAtLastError(void) { return last; }
const char *cudaGetErrorString(cudaError_t e)
{
    switch (e) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    default: return "an error of a virtual device";
    }
}
const char *cudaGetErrorName(cudaError_t e) { return cudaGetErrorString(e); }
cudaError_t cudaRuntimeGetVersion(int *v)
{
    *v = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *v)
{
    *v = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int d)
{
    BEGIN(cudaErrorInvalidDevice);
    if (d < 0 || d >= (int)devices.size())
        return end(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Virtual H200");
    p->totalGlobalMem = asked().memory;
    p->multiProcessorCount = vgpu_processors();
    p->sharedMemPerBlock = 48 * 1024;
    p->sharedMemPerBlockOptin = vgpu_most_shared();
    p->sharedMemPerMultiprocessor = vgpu_most_shared() + 1024;
    p->major = vgpu_capability() / 10;
    p->minor = vgpu_capability() % 10;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->concurrentKernels = 1;
    p->asyncEngineCount = 3;
    p->unifiedAddressing = 1;
    p->cooperativeLaunch = 1;
    p->pciBusID = d + 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int d)
{
    BEGIN(cudaErrorInvalidDevice);
    if (d < 0 || d >= (int)devices.size())
        return end(cudaErrorInvalidDevice);
    if (a == cudaDevAttrMultiProcessorCount) {
        *v = vgpu_processors();
        return cudaSuccess;
    }
    for (const auto &x : attributes)
        if (x.name == a) {
            *v = x.value;
            return cudaSuccess;
        }
    say("attribute %d is not known", (int)a);
    return end(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetPCIBusId(char *s, int n, int d)
{
    snprintf(s, (size_t)n, "0000:%02x:00.0", d + 1);
    return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }

cudaError_t cudaDeviceCanAccessPeer(int *can, int a, int b)
{
    BEGIN(cudaErrorInvalidDevice);
    *can = asked().peers && a != b;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int b, unsigned)
{
    BEGIN(cudaErrorInvalidDevice);
    if (!asked().peers || b == current)
        return end(cudaErrorPeerAccessUnsupported);
    if (here().peers[b])
        return end(cudaErrorPeerAccessAlreadyEnabled);
    here().peers[b] = true;
    return cudaSuccess;
}
cudaError_t cudaDeviceDisablePeerAccess(int b)
{
    BEGIN(cudaErrorInvalidDevice);
    here().peers[b] = false;
    return cudaSuccess;
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* With VGPU_EXACT these come before StarPU's: it is told that a buffer is too large to be cut from
 * a block, and the block has the size that was asked for. */
uintptr_t starpu_malloc_on_node_flags(unsigned node, size_t size, int flags)
{
    static const auto real =
        (uintptr_t(*)(unsigned, size_t, int))dlsym(RTLD_NEXT, "starpu_malloc_on_node_flags");
    if (!asked().exact || !node)
        return real(node, size, flags);
    exact_bytes = size ? size : 1;
    const uintptr_t p = real(node, size > most_cut ? size : most_cut + 1, flags);
    exact_bytes = 0;
    return p;
}
void starpu_free_on_node_flags(unsigned node, uintptr_t p, size_t size, int flags)
{
    static const auto real =
        (void (*)(unsigned, uintptr_t, size_t, int))dlsym(RTLD_NEXT, "starpu_free_on_node_flags");
    real(node, p, asked().exact && node && size <= most_cut ? most_cut + 1 : size, flags);
}
/* Whoever asks whether a task fits a device hears what StarPU counts for its buffers. */
struct _starpu_data_state;
size_t starpu_data_get_size(_starpu_data_state *handle)
{
    static const auto real =
        (size_t(*)(_starpu_data_state *))dlsym(RTLD_NEXT, "starpu_data_get_size");
    const size_t size = real(handle);
    return asked().exact && size <= most_cut ? most_cut + 1 : size;
}

cudaError_t cudaMalloc(void **p, size_t n)
{
    BEGIN(cudaErrorMemoryAllocation);
    return end(allocate(here(), p, exact_bytes ? exact_bytes : n, exact_bytes != 0));
}
cudaError_t cudaFree(void *p)
{
    BEGIN(cudaErrorInvalidValue);
    if (!p)
        return cudaSuccess;
    if (owner(p) >= 0) { /* waits for the device, as the real one does */
        const device &d = *devices[(size_t)owner(p)];
        holding hold(lock);
        wait_for(hold, [&] { return all_idle(d); });
    }
    return end(release(p));
}
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t)
{
    BEGIN(cudaErrorMemoryAllocation);
    return end(allocate(here(), p, n, false));
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    BEGIN(cudaErrorInvalidValue);
    holding hold(lock);
    operation o;
    o.act = [=] {
        return release(p) == cudaSuccess ? "" : std::string("cudaFreeAsync of what is not live");
    };
    return end(submit(hold, stream_of(stream), std::move(o)));
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int)
{
    BEGIN(cudaErrorNotSupported);
    *p = nullptr;
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    BEGIN(cudaErrorInvalidValue);
    std::lock_guard<std::mutex> hold(lock);
    *total = asked().memory;
    *free = *total - here().used;
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void *p, size_t n, unsigned)
{
    BEGIN(cudaErrorMemoryAllocation);
    std::lock_guard<std::mutex> hold(lock);
    return end(lock_pages(p, n));
}
cudaError_t cudaHostUnregister(void *p)
{
    BEGIN(cudaErrorInvalidValue);
    std::lock_guard<std::mutex> hold(lock);
    return end(unlock_pages(p));
}
/* StarPU 1.4 asks where a device maps main memory, which these do not. */
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned)
{
    BEGIN(cudaErrorInvalidValue);
    return end(cudaErrorNotSupported);
}
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned)
{
    BEGIN(cudaErrorMemoryAllocation);
    if (posix_memalign(p, 4096, n ? n : 1))
        return end(cudaErrorMemoryAllocation);
    if (asked().dry) /* no copy fills it: the program reads zeros, not what malloc left there */
        memset(*p, 0, n);
    std::lock_guard<std::mutex> hold(lock);
    note_allocated(*p, n);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void **p, size_t n) { return cudaHostAlloc(p, n, 0); }
cudaError_t cudaFreeHost(void *p)
{
    BEGIN(cudaErrorInvalidValue);
    {
        std::lock_guard<std::mutex> hold(lock);
        if (p && !forget_allocated(p))
            return end(cudaErrorInvalidValue);
    }
    free(p);
    return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
    BEGIN(cudaErrorInvalidValue);
    std::lock_guard<std::mutex> hold(lock);
    memset(a, 0, sizeof *a);
    a->device = owner(p);
    a->type = a->device >= 0                   ? cudaMemoryTypeDevice
              : is_locked(p, 1) == held::whole ? cudaMemoryTypeHost
                                               : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

/* ---- Streams and events -------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
    BEGIN(cudaErrorMemoryAllocation);
    static std::once_flag once; /* StarPU has started and makes streams */
    std::call_once(once, [] { workers_rest = vgpu_rest_between_polls(); });
    std::lock_guard<std::mutex> hold(lock);
    *s = new CUstream_st{current};
    here().streams.push_back(*s);
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithFlags(s, 0); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    BEGIN(cudaErrorLaunchFailure);
    holding hold(lock);
    const CUstream_st *s = stream_of(stream);
    wait_for(hold, [s] { return s->idle(); });
    return end(device_of(s).sticky);
}
/* Asked again and again: a query that finds nothing sleeps a little, unless workers do. */
static cudaError_t not_yet(holding &hold)
{
    polled();
    hold.unlock();
    if (!workers_rest)
        usleep(50);
    return cudaErrorNotReady;
}
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    BEGIN(cudaErrorLaunchFailure);
    holding hold(lock);
    const CUstream_st *s = stream_of(stream);
    if (device_of(s).sticky != cudaSuccess)
        return end(device_of(s).sticky);
    return s->idle() ? cudaSuccess : not_yet(hold);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    BEGIN(cudaErrorInvalidResourceHandle);
    holding hold(lock);
    wait_for(hold, [stream] { return stream->idle(); });
    std::vector<CUstream_st *> &v = device_of(stream).streams;
    for (size_t i = 0; i < v.size(); i++)
        if (v[i] == stream) {
            v.erase(v.begin() + (long)i);
            delete stream;
            return cudaSuccess;
        }
    return end(cudaErrorInvalidResourceHandle);
}
int vgpu_stream_lives(cudaStream_t stream)
{
    holding hold(lock);
    for (const auto &d : devices)
        if (std::find(d->streams.begin(), d->streams.end(), stream) != d->streams.end())
            return 1;
    return 0;
}
cudaError_t cudaDeviceSynchronize(void)
{
    BEGIN(cudaErrorLaunchFailure);
    holding hold(lock);
    const device &d = here();
    wait_for(hold, [&] { return all_idle(d); });
    return end(d.sticky);
}
cudaError_t cudaDeviceReset(void)
{
    BEGIN(cudaErrorInvalidValue);
    device &d = here();
    for (;;) {
        void *p;
        {
            holding hold(lock);
            wait_for(hold, [&] { return all_idle(d); });
            if (d.live.empty())
                break;
            p = d.live.begin()->first;
        }
        (void)release(p);
    }
    memset(d.peers, 0, sizeof d.peers);
    return cudaSuccess;
}
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
    BEGIN(cudaErrorMemoryAllocation);
    *e = new CUevent_st{std::make_shared<event_state>()};
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    BEGIN(cudaErrorInvalidValue);
    delete e;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t stream)
{
    BEGIN(cudaErrorLaunchFailure);
    holding hold(lock);
    operation o;
    e->now = std::make_shared<event_state>();
    e->now->done = false;
    o.what = operation::mark;
    o.event = e->now;
    return end(submit(hold, stream_of(stream), std::move(o)));
}
cudaError_t cudaEventQuery(cudaEvent_t e)
{
    BEGIN(cudaErrorLaunchFailure);
    holding hold(lock);
    if (here().sticky != cudaSuccess)
        return end(here().sticky);
    return e->now->done ? cudaSuccess : not_yet(hold);
}
cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    BEGIN(cudaErrorLaunchFailure);
    holding hold(lock);
    const auto state = e->now;
    wait_for(hold, [&] { return state->done; });
    return end(here().sticky);
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    BEGIN(cudaErrorInvalidValue);
    std::lock_guard<std::mutex> hold(lock);
    const timespec &x = a->now->when, &y = b->now->when;
    *ms = (float)(1e3 * (double)(y.tv_sec - x.tv_sec) + 1e-6 * (double)(y.tv_nsec - x.tv_nsec));
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t e, unsigned)
{
    BEGIN(cudaErrorInvalidValue);
    holding hold(lock);
    operation o;
    o.what = operation::wait;
    o.event = e->now;
    return end(submit(hold, stream_of(stream), std::move(o)));
}

/* ---- Copies -------------------------------------------------------------------------------- */

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind k)
{
    BEGIN(cudaErrorInvalidValue);
    return end(flat(__func__, to, from, n, k, here().legacy, true));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind k, cudaStream_t s)
{
    BEGIN(cudaErrorInvalidValue);
    return end(flat(__func__, to, from, n, k, stream_of(s), false));
}
cudaError_t cudaMemcpy2D(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h,
                         cudaMemcpyKind k)
{
    BEGIN(cudaErrorInvalidValue);
    return end(copy_on({__func__, to, from, tp, fp, w, h}, k, here().legacy, true));
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h,
                              cudaMemcpyKind k, cudaStream_t s)
{
    BEGIN(cudaErrorInvalidValue);
    return end(copy_on({__func__, to, from, tp, fp, w, h}, k, stream_of(s), false));
}
cudaError_t cudaMemcpyPeer(void *to, int td, const void *from, int fd, size_t n)
{
    BEGIN(cudaErrorInvalidValue);
    return end(peer(__func__, to, td, from, fd, n, here().legacy, true));
}
cudaError_t cudaMemcpyPeerAsync(void *to, int td, const void *from, int fd, size_t n,
                                cudaStream_t s)
{
    BEGIN(cudaErrorInvalidValue);
    return end(peer(__func__, to, td, from, fd, n, stream_of(s), false));
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
    BEGIN(cudaErrorInvalidValue);
    return end(planes(__func__, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent,
                      here().legacy, true));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t s)
{
    BEGIN(cudaErrorInvalidValue);
    return end(planes(__func__, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, stream_of(s),
                      false));
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p)
{
    BEGIN(cudaErrorInvalidValue);
    return end(planes(__func__, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent,
                      here().legacy, true));
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t s)
{
    BEGIN(cudaErrorInvalidValue);
    return end(planes(__func__, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, stream_of(s),
                      false));
}
cudaError_t cudaMemset(void *p, int v, size_t n)
{
    BEGIN(cudaErrorInvalidValue);
    return end(set_on(__func__, p, v, n, here().legacy, true));
}
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s)
{
    BEGIN(cudaErrorInvalidValue);
    return end(set_on(__func__, p, v, n, stream_of(s), false));
}

} /* extern "C" */
