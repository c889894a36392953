"""A graph recorded with --place says of every task where the algorithm put it, and there it ran: what a simulation does with the
graph depends on it. The codelets are those that the sources declare (codelets/core/task.h).

    marked.py ORRERY CODELETS      with a StarPU whose OpenCL workers run the CPU functions

SPDX-License-Identifier: BSD-3-Clause"""
import array, glob, os, random, re, subprocess, sys

from checks import check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
# The functions of a codelet are its third word: ORR_CPU are those without any for devices.
declared = re.compile(r'^ORR_CODELETS(?:_LIKE)?\((?:\w+,\s*)+"(\w+)",\s*\w+,\s*(\w+)', re.M)
kinds = {}
for path in glob.glob(os.path.join(sys.argv[2], "*", "*.c")):
    with open(path) as f:
        for name, kind in declared.findall(f.read()):
            kinds.setdefault(name, set()).add(kind)
empty_directory()

shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (10, 90), }"
with open("band.npy", "wb") as f: # 4 subdiagonals and 5 superdiagonals, which gb2bd brings to triangular form first
    f.write(b"\x93NUMPY\x01\x00\x76\x00" + shape.ljust(117).encode() + b"\n" + array.array("d", (random.Random(1).random() for _ in range(900))).tobytes())
runs = ["heev --n 60 --band 8 --tile 16 --jobz V --place gpu",
        "heev --n 280 --band 8 --tile 16 --place gpu", # too many tiles for tasks of a whole step
        "heev --n 400 --band 32 --tile 96 --jobz V --place gpu", # with a merge
        "hegv --n 60 --band 8 --tile 16 --jobz V --problem 1 --place gpu",
        "hegv --n 60 --band 8 --tile 16 --jobz V --problem 3 --place gpu",
        "gesvd --n 50 --m 60 --band 8 --tile 16 --jobz V --place gpu",
        "gesvd --n 280 --band 8 --tile 16 --place gpu",
        "gesvd --n 400 --band 32 --tile 96 --jobz V --place gpu", # with a merge
        "gesvd --n 20 --m 90 --band 8 --tile 16 --jobz V --place gpu", # by a triangle
        "hbev --n 60 --band 8 --jobz V --place gpu",
        "hb2st --n 150 --band 9 --columns 36 --sweeps 3 --jobz V --place gpu",
        "gb2bd band.npy --kl 4 --rows 20 --left u.npy --right v.npy --place gpu",
        "gesvj --n 11 --count 4 --at-once --place gpu",
        "gesvj --n 90 --count 2 --block 16 --place gpu",
        "gesvj --n 90 --count 1 --block 16 --place pipeline",
        "gesvj --n 90 --count 1 --block 16 --precondition no --jobz V --place mirror"]
# Nothing says where tasks of these may run: they have no --place.
without = ("heevj_", "powm_", "pagerank_", "krylov_")
seen = set()
for words in runs:
    repeat = [] if ".npy" in words else ["--repeat", "1"]
    done = subprocess.run([orrery, *words.split(), *repeat, "--cpus", "1", "--opencls", "1", "-q", "--trace", "x.graph"], capture_output=True, text=True)
    if "OpenCL workers asked for, StarPU has 0" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    check(done.returncode == 0, f"{words}: exit {done.returncode}, {done.stderr.strip()}")
    with open("x.graph") as f:
        text = f.read()
    tasks = [line.split() for line in text.splitlines() if line.startswith("task ")]
    check(tasks, f"{words}: no tasks")
    # The functions of the OpenCL worker end with their work.
    check(text.count(" sync=opencl ") == text.count(" ran=opencl ") == text.count(" sync="), f"{words}: which are synchronous")
    for name, said in {(t[1], tuple(w for w in t[2:] if w.startswith(("wants=", "ran=")))) for t in tasks}:
        wants, ran = dict(w.split("=") for w in said).get("wants"), dict(w.split("=") for w in said)["ran"]
        check(wants, f"{words}: {name} ran on {ran}, and is not marked")
        check((wants == "cpu") == (ran == "cpu"), f"{words}: {name} ran on {ran}, and is marked {wants}")
        check(name in kinds and (kinds[name] != {"ORR_CPU"} or wants == "cpu"), f"{words}: {name} is marked {wants}, and declared {kinds.get(name)}")
        if wants == "accelerator":
            seen.add(name)
expected = {name for name, kind in kinds.items() if kind != {"ORR_CPU"} and not name.startswith(without)}
check(len(expected) > 20, f"only {len(expected)} codelets with a place were found")
check(seen == expected, f"never on a device: {sorted(expected - seen)}; not expected there: {sorted(seen - expected)}")
finish("marked")
