# The tracker: it must find the target, both with windows that are one task and with windows that
# are a graph, and must say so when there is none; draw a well-formed picture; answer mistakes with
# the promised exit codes. Run by ctest: cmake -DTRACKING=... -DOUT=... -P test.cmake
#
# SPDX-License-Identifier: BSD-3-Clause
include(${CMAKE_CURRENT_LIST_DIR}/../expect.cmake)

file(MAKE_DIRECTORY ${OUT})
expect(0 ${TRACKING} --frames 160 --out ${OUT}/tracking.svg)
if(NOT out MATCHES "background: rank 5 to 5")
  message(FATAL_ERROR "the background has rank 5:\n${out}")
endif()
picture(${OUT}/tracking.svg)
expect(0 ${TRACKING} --frames 120 --window 80 --in-flight 2 --out ${OUT}/tracking.svg)
expect(1 ${TRACKING} --frames 100 --contrast 0 --out ${OUT}/tracking.svg)

expect(0 ${TRACKING} --help)
expect(2 ${TRACKING} --no-such-option 1)
expect(2 ${TRACKING} --window 0)
expect(2 ${TRACKING} --frames 40)
expect(2 ${TRACKING} --place moon)
expect(3 ${TRACKING} --frames 70 --out ${OUT}/none/tracking.svg)
