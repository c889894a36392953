# For the tests of examples: expect(CODE COMMAND...) runs a program and wants this exit code, leaving
# what it printed in `out`; picture(FILE) wants well-formed SVG of a reasonable size.
#
# SPDX-License-Identifier: BSD-3-Clause

function(expect code)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT rc EQUAL code)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\nexit code ${rc}, expected ${code}\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
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
