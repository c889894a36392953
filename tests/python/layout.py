"""layout.py CC INCLUDE: the structs of orrery/_library.py are those of include/orrery, member by member, as the
C compiler lays them out; and so are the statuses.

SPDX-License-Identifier: BSD-3-Clause"""
import ctypes
import os
import subprocess
import sys
import tempfile

from common import check, ended
from orrery import _library as c

lines, ours = [], []
for struct in c.STRUCTS:
    name = struct.__name__
    lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
    ours.append(f"{name} {ctypes.sizeof(struct)}")
    for field, kind in struct._fields_:
        lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
        ours.append(f"{name}.{field} {getattr(struct, field).offset} {ctypes.sizeof(kind)}")
for name in ("OK", "E_ARG", "E_NOMEM", "E_NOWORKER", "E_SCHED", "E_NONFINITE", "E_CANCELLED", "E_DEFINITE", "NOCONV", "NONFINITE", "RANGE"):
    lines.append(f'printf("{name} %d\\n", (int)ORR_{name});')
    ours.append(f"{name} {getattr(c, name)}")
for table, prefix, count in ((c.METHODS, "ORR_METHOD_", "ORR_NMETHODS"), (c.ACCURACIES, "ORR_ACCURACY_", "ORR_NACCURACIES")):
    lines.append(f'printf("{count} %d\\n", (int){count});')
    ours.append(f"{count} {len(table)}")
    for name, value in table.items():
        lines.append(f'printf("{prefix}{name} %d\\n", (int){prefix}{(name or "auto").upper()});')
        ours.append(f"{prefix}{name} {value}")
with tempfile.TemporaryDirectory() as work:
    source, program = os.path.join(work, "layout.c"), os.path.join(work, "layout")
    with open(source, "w", encoding="utf-8") as f:
        f.write("#include <orrery/orrery.h>\n#include <orrery/sparse.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                "int main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
    subprocess.run([sys.argv[1], "-std=c11", "-I", sys.argv[2], "-o", program, source], check=True)
    theirs = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
check(len(c.STRUCTS) > 10, "hardly any structs")
check(len(ours) == len(theirs), f"{len(ours)} lines, {len(theirs)} of C")
for x, y in zip(ours, theirs):
    check(x == y, f"{x}; C: {y}")
ended()
