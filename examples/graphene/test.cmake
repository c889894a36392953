# The demo at small sizes: it must pass its own checks, draw well-formed pictures of a
# reasonable size, read back the stack it writes, and answer mistakes with the promised exit
# codes. Run by ctest: cmake -DGRAPHENE=... -DOUT=... [-DXMLLINT=... -DPYTHON=...] -P test.cmake
#
# SPDX-License-Identifier: BSD-3-Clause

include(${CMAKE_CURRENT_LIST_DIR}/../expect.cmake)

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
expect(0 ${GRAPHENE} --quick --out ${OUT})
if(out MATCHES " [?] ")
  message(FATAL_ERROR "a method without a name:\n${out}")
endif()
picture(${OUT}/graphene-bands.svg)
picture(${OUT}/ribbon-bands.svg)

expect(0 ${GRAPHENE} --quick --zigzag 5 --points 16
       --write-stack ${OUT}/h.npy --write-k ${OUT}/k.npy)
expect(0 ${GRAPHENE} --stack ${OUT}/h.npy --k ${OUT}/k.npy --out ${OUT})
picture(${OUT}/stack-bands.svg)

expect(0 ${GRAPHENE} --help)
expect(2 ${GRAPHENE} --no-such-option)
expect(2 ${GRAPHENE} --zigzag 3)
expect(2 ${GRAPHENE} --k ${OUT}/k.npy)
expect(3 ${GRAPHENE} --stack ${OUT}/none.npy --out ${OUT})
expect(3 ${GRAPHENE} --stack ${OUT}/k.npy --out ${OUT})
expect(3 ${GRAPHENE} --stack ${OUT}/h.npy --k ${OUT}/h.npy --out ${OUT})
