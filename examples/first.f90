! Eigenvalues and eigenvectors of two symmetric 2 x 2 matrices, as examples/first.c.
! Build: gfortran $(pkg-config --variable=includedir orrery)/orrery/orrery.f90 first.f90 \
!     $(pkg-config --libs orrery)
!
! SPDX-License-Identifier: BSD-3-Clause
program first
    use orrery
    implicit none
    real(c_double), target :: a(2, 2, 2) = reshape([2d0, 1d0, 1d0, 2d0, 0d0, 3d0, 3d0, 8d0], [2, 2, 2])
    real(c_double), target :: w(2, 2)
    type(orr_batch), target :: ba, bw
    type(orr_report), target :: report
    type(c_ptr), target :: ctx
    integer(c_int) :: st
    integer :: k

    ba = orr_batch(type=ORR_D, batch=2, m=2, n=2, a=c_loc(a))
    bw = orr_batch(type=ORR_D, batch=2, m=2, n=1, a=c_loc(w))
    st = orr_open(c_null_ptr, c_loc(ctx))
    if (st == ORR_OK) then
        st = orr_heevj(ctx, c_loc(ba), c_loc(bw), c_null_ptr, c_null_ptr, c_loc(report)) ! a becomes the eigenvectors
        call orr_close(ctx)
    end if
    if (st /= ORR_OK) then
        print '(a)', orrery_text(orr_strerror(st))
        stop 1
    end if
    do k = 1, 2
        print '("matrix ", i0, ": ", f0.3, 1x, f0.3)', k, w(:, k)
    end do
end program first
