/* Page-locked memory of the host: what a copy need not wait for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_PAGES_H
#define ORR_VGPU_PAGES_H

#include <cstddef>
#include <cuda_runtime_api.h>

namespace vgpu
{

enum class held { not_at_all, in_part, whole };

/* All with the lock held. */
held is_locked(const void *, size_t bytes);
cudaError_t lock_pages(void *,
                       size_t bytes); /* refuses what overlaps, and what cannot be written */
cudaError_t unlock_pages(void *);
void note_allocated(void *, size_t bytes); /* it is locked from the beginning */
bool forget_allocated(void *);
void look_for_left_pages(); /* at the end: nothing may still be locked */

} // namespace vgpu
#endif
