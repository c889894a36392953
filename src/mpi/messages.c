/* A message is like a task: it waits for the tasks that use its data, and those submitted later
 * wait for it. StarPU grants the data in main memory (starpu_data_acquire_on_node_cb), this
 * thread posts the message and gives the data back when MPI is done with it:
 *
 *   submitted --> granted --> posted --> done
 *             StarPU     queue      MPI_Testsome
 *
 * While messages are under way the thread polls, for a while eagerly if it has a core of its own,
 * then with short sleeps: where there are fewer cores than threads, one that never sleeps keeps
 * from running those whose messages it waits for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/mpi/messages.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct message {
    struct orr_messages *all;
    struct orr_request *req;
    starpu_data_handle_t h;
    int peer, tag, sends;
    struct message *next;
};

struct orr_messages {
    MPI_Comm comm;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct message *granted, **end; /* in their order */
    int stop, eager;
    /* of the thread alone */
    struct message **posted;
    MPI_Request *request;
    int *which;
    int count, room;
};

static void settle(struct message *m, orr_status st)
{
    struct orr_request *req = m->req;
    if (st != ORR_OK)
        orr_request_fail(req, st, "MPI");
    starpu_data_release_on_node(m->h, STARPU_MAIN_RAM);
    free(m);
    orr_request_release(req);
}

/* Room for one more; 0: no memory. */
static int grow(struct orr_messages *a)
{
    if (a->count < a->room)
        return 1;
    const int room = a->room ? 2 * a->room : 64;
    struct message **posted = realloc(a->posted, (size_t)room * sizeof *posted);
    a->posted = posted ? posted : a->posted;
    MPI_Request *request = realloc(a->request, (size_t)room * sizeof *request);
    a->request = request ? request : a->request;
    int *which = realloc(a->which, (size_t)room * sizeof *which);
    a->which = which ? which : a->which;
    if (!posted || !request || !which)
        return 0;
    a->room = room;
    return 1;
}

static MPI_Datatype type_of_size(size_t bytes)
{
    return bytes == 4 ? MPI_UINT32_T : bytes == 8 ? MPI_UINT64_T : MPI_C_DOUBLE_COMPLEX;
}

static void post(struct orr_messages *a, struct message *m)
{
    const struct starpu_vector_interface *v =
        starpu_data_get_interface_on_node(m->h, STARPU_MAIN_RAM);
    if (!grow(a)) {
        settle(m, ORR_E_NOMEM);
        return;
    }
    const MPI_Datatype t = type_of_size(v->elemsize);
    MPI_Request *r = &a->request[a->count];
    const int rc = m->sends ? MPI_Isend((void *)v->ptr, (int)v->nx, t, m->peer, m->tag, a->comm, r)
                            : MPI_Irecv((void *)v->ptr, (int)v->nx, t, m->peer, m->tag, a->comm, r);
    if (rc == MPI_SUCCESS)
        a->posted[a->count++] = m;
    else
        settle(m, ORR_E_DEVICE);
}

/* Gives back what has arrived or left; how many messages that were. */
static int finish(struct orr_messages *a)
{
    int done = 0;
    if (a->count == 0)
        return 0;
    MPI_Testsome(a->count, a->request, &done, a->which, MPI_STATUSES_IGNORE);
    for (int i = 0; i < done; i++) {
        settle(a->posted[a->which[i]], ORR_OK);
        a->posted[a->which[i]] = NULL;
    }
    int left = 0;
    for (int i = 0; done > 0 && i < a->count; i++)
        if (a->posted[i]) {
            a->posted[left] = a->posted[i];
            a->request[left++] = a->request[i];
        }
    if (done > 0)
        a->count = left;
    return done;
}

/* Sleeps while there is nothing at all to do. NULL at the end, and when nothing is new. */
static struct message *take(struct orr_messages *a, int *stop)
{
    pthread_mutex_lock(&a->lock);
    while (!a->granted && a->count == 0 && !a->stop)
        pthread_cond_wait(&a->changed, &a->lock);
    struct message *list = a->granted;
    a->granted = NULL;
    a->end = &a->granted;
    *stop = a->stop && !list && a->count == 0;
    pthread_mutex_unlock(&a->lock);
    return list;
}

static void *work(void *arg)
{
    enum { EAGER = 1000, LONG = 1200 };
    const struct timespec nap = {.tv_nsec = 20000}, rest = {.tv_nsec = 200000};
    struct orr_messages *a = arg;
    int stop = 0, idle = 0;
    while (!stop) {
        struct message *list = take(a, &stop);
        idle = list ? 0 : idle + 1;
        while (list) {
            struct message *m = list;
            list = m->next;
            post(a, m);
        }
        if (finish(a) > 0)
            idle = 0;
        if (idle > (a->eager ? EAGER : 0))
            nanosleep(idle > LONG ? &rest : &nap, NULL);
    }
    return NULL;
}

/* By StarPU, when the data may be used. */
static void granted(void *arg)
{
    struct message *m = arg;
    struct orr_messages *a = m->all;
    pthread_mutex_lock(&a->lock);
    *a->end = m;
    a->end = &m->next;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

void orr_messages_add(struct orr_messages *a, struct orr_request *req, starpu_data_handle_t h,
                      int peer, int tag, int sends)
{
    struct message *m = malloc(sizeof *m);
    if (!m) {
        orr_request_fail(req, ORR_E_NOMEM, "MPI");
        return;
    }
    *m = (struct message){.all = a, .req = req, .h = h, .peer = peer, .tag = tag, .sends = sends};
    orr_request_hold(req);
    if (starpu_data_acquire_on_node_cb(h, STARPU_MAIN_RAM, sends ? STARPU_R : STARPU_W, granted,
                                       m) != 0) {
        orr_request_fail(req, ORR_E_DEVICE, "starpu_data_acquire");
        free(m);
        orr_request_release(req);
    }
}

struct orr_messages *orr_messages_start(MPI_Comm comm, int eager)
{
    struct orr_messages *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->comm = comm;
    a->eager = eager;
    a->end = &a->granted;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (pthread_create(&a->thread, NULL, work, a) == 0)
        return a;
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
    free(a);
    return NULL;
}

void orr_messages_end(struct orr_messages *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = 1;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
    free(a->posted);
    free(a->request);
    free(a->which);
    free(a);
}
