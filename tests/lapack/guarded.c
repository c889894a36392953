/* Memory of the library in this test: every array ends where an inaccessible page begins, so that
 * whoever reads beyond it ends the process. OpenBLAS's zgemv does, by a column (0.3.21).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGNED = 16, MOST = 4096 };

void *__wrap_malloc(size_t size);
void __wrap_free(void *);
void __real_free(void *);

static struct {
    char *array, *pages;
    size_t bytes;
} held[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *__wrap_malloc(size_t size)
{
    const size_t room = (size + ALIGNED - 1) / ALIGNED * ALIGNED;
    const size_t bytes = (room + PAGE - 1) / PAGE * PAGE + PAGE;
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + bytes - PAGE, PAGE, PROT_NONE) != 0)
        return NULL;
    char *array = pages + bytes - PAGE - room;
    int k = 0;
    pthread_mutex_lock(&lock);
    while (k < MOST && held[k].array)
        k++;
    if (k < MOST) {
        held[k].array = array;
        held[k].pages = pages;
        held[k].bytes = bytes;
    }
    pthread_mutex_unlock(&lock);
    return k < MOST ? array : NULL;
}

void __wrap_free(void *array)
{
    int k = 0;
    pthread_mutex_lock(&lock);
    while (k < MOST && held[k].array != array)
        k++;
    if (array && k < MOST) {
        munmap(held[k].pages, held[k].bytes);
        held[k].array = NULL;
        array = NULL;
    }
    pthread_mutex_unlock(&lock);
    __real_free(array);
}
