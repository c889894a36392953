#!/usr/bin/env bash
# fortran.sh GFORTRAN CC SOURCE_DIR LIBRARY PYTHON: the Fortran module of the headers compiles without a warning, its types
# are as large as C's, member by member, its constants are equal, and examples/first.f90 gives the right numbers.
set -euo pipefail
fortran=$1 cc=$2 source=$3 library=$4 python=$5
command -v "$fortran" >/dev/null || { echo "no gfortran (scripts/deps tests): the Fortran module is not tested"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
"$python" -B "$source/packaging/fortran/module.py" "$source/include" orrery.f90
flags=(-std=f2018 -Wall -Wextra -Werror -Wno-unused-dummy-argument -fcheck=all)
"$fortran" "${flags[@]}" -c orrery.f90
"$fortran" "${flags[@]}" "$source/examples/first.f90" orrery.o -o first "$library" -Wl,-rpath,"$(dirname "$library")"
./first | tee said
printf 'matrix 1: 1.000 3.000\nmatrix 2: -1.000 9.000\n' | diff said - || exit 1

# The same questions to both compilers: sizes and offsets of members, values of constants.
"$python" -B - orrery.f90 <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read().replace(" &\n", "")
c, f, declared = [], [], []
for name, body in re.findall(r"type, bind\(c\) :: (\w+)\n(.*?)end type", text, flags=re.S):
    declared.append(f"type({name}), target :: v_{name}")
    c.append(f'printf("{name} %zu\\n", sizeof({name}));')
    f.append(f"print '(a,1x,i0)', '{name}', c_sizeof(v_{name})")
    for member in re.findall(r":: (\w+)", body):
        c.append(f'printf("{name}.{member} %zu\\n", offsetof({name}, {member}));')
        f.append(f"print '(a,1x,i0)', '{name}.{member}', transfer(c_loc(v_{name}%{member}), 0_c_intptr_t) &\n"
                 f"    - transfer(c_loc(v_{name}), 0_c_intptr_t)")
for name in re.findall(r"parameter :: (\w+)", text):
    c.append(f'printf("{name} %d\\n", (int){name});')
    f.append(f"print '(a,1x,i0)', '{name}', {name}")
open("c.c", "w").write("#include <stddef.h>\n#include <stdio.h>\n#include <orrery/orrery.h>\n#include <orrery/sparse.h>\nint main(void) {\n"
                       + "\n".join(c) + "\nreturn 0; }\n")
open("f.f90", "w").write("program f\nuse orrery\n" + "\n".join(declared) + "\n" + "\n".join(f) + "\nend program f\n")
END
"$cc" -std=c11 -I"$source/include" c.c -o c
"$fortran" -ffree-line-length-none f.f90 -o f "$library" -Wl,-rpath,"$(dirname "$library")"
./c >c.txt
./f >f.txt
[ "$(wc -l <c.txt)" -gt 150 ] || { echo "hardly any members"; exit 1; }
diff c.txt f.txt
echo "$(grep -cE '^        (function|subroutine) ' orrery.f90) functions, $(wc -l <c.txt) sizes, offsets and constants"
