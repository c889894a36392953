# The demo at small sizes: it must pass its own checks, draw well-formed pictures of a
# reasonable size, read back the stack it writes, and answer mistakes with the promised exit
# codes. Run by ctest: cmake -DGRAPHENE=... -DOUT=... [-DXMLLINT=... -DPYTHON=...] -P test.cmake
#
# SPDX-License-Identifier: BSD-3-Clause

function(expect code)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT rc EQUAL code)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\nexit code ${rc}, expected ${code}\n${out}${err}")
  endif()
endfunction()

function(picture file)
  file(SIZE ${file} size)
  if(size GREATER 200000)
    message(FATAL_ERROR "${file}: ${size} bytes, expected at most 200000")
  endif()
  file(READ ${file} text)
  if(text MATCHES "[^a-z](nan|inf)[^a-z]")
    message(FATAL_ERROR "${file}: a coordinate is not finite")
  endif()
  if(XMLLINT)
    expect(0 ${XMLLINT} --noout --nonet ${file})
  elseif(PYTHON)
    expect(0 ${PYTHON} -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" ${file})
  endif()
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
expect(0 ${GRAPHENE} --quick --out ${OUT})
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
