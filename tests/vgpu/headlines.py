#!/usr/bin/env python3
"""The large problems by which the GPU code is judged: what the library launches for each, what the
compiler says of the kernel that counts, the least time, and an estimate.

  headlines.py HEADLINES DIRECTORY-OF-THE-STAND-INS SOURCE-DIRECTORY [--table]

The rows of the table in docs/gpu-estimates.md must be what this computes; --table prints them. Launches,
thread blocks and bytes on the bus are counted by a virtual device of an H200's 132 processors on which
the library's own calls run, and nothing is computed (headlines.c); registers, shared memory and blocks
on a processor are those of docs/gpu-kernels.md; the least time is scripts/gpu-report's, at the rates that
bench/results has of an H200. Estimates are explained under the table.

SPDX-License-Identifier: BSD-3-Clause"""
import collections
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROCESSORS, CLOCK = 132, 1.755e9
MEMORY, TENSOR, VECTOR = 4.8e12, 67e12, {"s": 67e12, "d": 34e12, "c": 67e12, "z": 34e12}  # H200, data sheet
GAP = 2.5e-6  # between launches that wait in the queue

# heevj by lanes: seconds for 1056 matrices, z (the page's table of batched matrices).
LANES = {64: 0.9e-3, 128: 5.4e-3, 512: 0.34}
# hb2st_apply, b = 64, d (the page's table of the back-transformation).
APPLY = {8192: 0.09, 16384: 0.61, 32768: 4.9}

Case = collections.namedtuple("Case", "algorithm type n b count jobz kernel purpose asked before measured")
# A step of powm on the 7-point Laplacian, as gpu_powm counts bytes; of PageRank on R-MAT 22 with 16 links a node, and what
# of it comes out of the L2 cache (the page's part on sparse products).
STEP = {"powm": (55760000, 622706816, 0), "pagerank": (67e6, 0.39e9, 1.25e9)}
L2 = 5.5e12

Case.__doc__ = """kernel, purpose: a row of docs/gpu-kernels.md; asked: seconds; before: as it was planned when
devices got the plans of CPUs, launches and seconds, both estimated then; measured: seconds of the first
and the last run, in bench/results."""

H100, H200 = "h100-16core", "h200-16core"
HEEVJ = "10 000 / 16, in one stream; 0.2 s"
PANELS = "some 70 tasks a step, panels on a core"
CASES = [
    Case("heevj", "z", 32, 0, 10000, "V", "heevj_lanes_ql", "heevj lanes n=32 z", 4e-3, HEEVJ, [(H100, 16384, 5.22307e-3), (H200, 10000, 1.27306e-3)]),
    Case("heevj", "z", 64, 0, 4096, "V", "heevj_lanes_reduce", "heevj lanes n=64 z", None, "", [(H100, 4096, 5.65411e-3), (H200, 4096, 4.99299e-3)]),
    Case("heevj", "z", 128, 0, 1024, "V", "heevj_lanes_reduce", "heevj lanes n=128 z", None, "", [(H100, 1024, 14.0867e-3), (H200, 1024, 8.54918e-3)]),
    Case("heevj", "z", 512, 0, 64, "V", "heevj_lanes_reduce", "heevj lanes n=512 z", None, "", [(H100, 64, 0.146522), (H200, 64, 0.0481272)]),
    Case("hb2st", "d", 32768, 32, 1, "N", "hb2st_numbered", "hb2st b=32 d", 0.25, "65 000; 10 s", [(H100, 1, 0.339659), (H200, 1, 0.230056)]),
    Case("gb2bd", "s", 32768, 32, 1, "N", "gb2bd_chase", "gb2bd b=32 s", None, "31, serial; 10 s", [(H100, 1, 0.594696032)]),
    Case("gb2bd", "d", 32768, 32, 1, "N", "gb2bd_chase", "gb2bd b=32 d", None, "31, serial; 10 s", [(H100, 1, 0.652250452)]),
    Case("gb2bd", "h", 32768, 32, 1, "N", "gb2bd_chase", "gb2bd b=32 h", None, "", []),
    Case("gb2bd", "s", 32768, 128, 1, "N", "gb2bd_chase", "gb2bd b=128 s", None, "", []),
    Case("gb2bd", "d", 32768, 128, 1, "N", "gb2bd_chase", "gb2bd b=128 d", None, "", []),
    Case("gb2bd", "h", 32768, 128, 1, "N", "gb2bd_chase", "gb2bd b=128 h", None, "", []),
    Case("gesvj", "s", 512, 0, 66, "V", "gesvj_angle", "gesvj n=512 nb=32 s", None, "start: 1093 a bundle, 10 ms of 20", [(H100, 66, 0.200954), (H100, 66, 0.11258)]),
    Case("powm", "d", 200**3, 0, 1, "N", "powm_sell_kernel<double, float>", "powm sell d", None, "`csr` at 0.35 to 0.45 of a copy", [(H100, 1, 0.000248715)]),
    Case("pagerank", "d", 2**22, 0, 1, "N", "powm_sell_kernel<double, float>", "powm sell d", None, "", []),
    Case("heev", "d", 8192, 0, 1, "N", "panel_kernel", "he2hb b=64 d", None, PANELS, [(H100, 1, 0.5748091), (H200, 1, 0.298566569)]),
    Case("heev", "d", 16384, 0, 1, "N", "panel_kernel", "he2hb b=64 d", None, PANELS + ": 2 s of them", []),
    Case("heev", "d", 32768, 0, 1, "N", "panel_kernel", "he2hb b=64 d", None, PANELS, []),
    Case("heev", "d", 8192, 0, 1, "V", "panel_kernel", "he2hb b=64 d", 1.5, "", [(H100, 1, 5.28894781), (H200, 1, 0.518982379)]),
    Case("heev", "d", 16384, 0, 1, "V", "panel_kernel", "he2hb b=64 d", 4, "", [(H100, 1, 5.2878243), (H200, 1, 2.15374129)]),
    Case("heev", "d", 32768, 0, 1, "V", "panel_kernel", "he2hb b=64 d", 12, "reflectors one at a time: 25 to 30 s", []),
    Case("gesvd", "d", 8192, 0, 1, "N", "gb2bd_chase", "gb2bd b=64 d", None, "", [(H100, 1, 2.47607001), (H200, 1, 0.582471781)]),
    Case("gesvd", "d", 16384, 0, 1, "N", "gb2bd_chase", "gb2bd b=64 d", None, "", []),
    Case("gesvd", "d", 32768, 0, 1, "N", "gb2bd_chase", "gb2bd b=64 d", None, "", []),
    Case("gesvd", "d", 8192, 0, 1, "V", "gb2bd_chase", "gb2bd vectors b=64 d", None, "", [(H200, 1, 1.1224083)]),
    Case("gesvd", "d", 16384, 0, 1, "V", "gb2bd_chase", "gb2bd vectors b=64 d", None, "", []),
    Case("gesvd", "d", 32768, 0, 1, "V", "gb2bd_chase", "gb2bd vectors b=64 d", None, "", []),
]


# ---- Estimates, in seconds --------------------------------------------------------------------

def heevj(case, _chosen):
    """QL of a matrix is one thread's: 0.65 n^2 rotations of 150 cycles and 1.15 n^2 steps of 110, in four pieces
    one after the other. Reflectors at two fifths of the vectors' rate, rotations at half of it."""
    n, count = case.n, case.count
    if n > 32:
        return LANES[n] / 1056 * max(count, PROCESSORS)
    ql = 4 * (0.65 * 150 + 1.15 * 110) * n * n / CLOCK
    return ql + 40 / 3 * n**3 * count / (0.4 * VECTOR["z"]) + 3 * n**3 * count / (0.5 * VECTOR["z"])


def gesvj(case, _chosen):
    """As src/gesvj/gesvj_rates.c reckons: 21 launches of starts and ends, two QR of 2 us a step, 120 rounds."""
    n, bundle = case.n, 33
    ends = (21 * 3e-6 + 2 * n * 2e-6) / bundle + (4 * n**3 + 12 * n**3) / 1e13
    sweeps = 120 * (130e-6 + 2 * 3e-6) / bundle + 8 * 6 * n**3 / 1e13
    return case.count * (ends + sweeps)


def sparse(case, _chosen):
    """Memory at 0.78 of its rate, or what comes out of the L2 cache."""
    _, memory, cached = STEP[case.algorithm]
    return max(memory / (0.78 * MEMORY), cached / L2)


powm = pagerank = sparse


def chase(n, b, cycles, issued):
    """Sweeps follow each other at 1.5 hops and a handover; or processors issue the instructions of all hops."""
    return max(n * cycles, n * n / (2 * b) * issued / PROCESSORS) / CLOCK


def hb2st(case, _chosen):
    """b = 32: the table of hops; b = 64: twice the warps have four times the work."""
    return chase(case.n, 32, 4700, 5500 / 2) if case.b == 32 else chase(case.n, 64, 6400, 2 * 5500)


def gb2bd(case, chosen):
    """A step of four warps at b = 32: 1660 instructions each, at two a cycle; 13 barriers, two handovers
    of 2100 cycles and 3400 of computing in line. Wider stages have eight warps."""
    seconds = 0
    for stage in re.findall(r'"band":(\d+),"tw":(\d+),"times":(\d+)', chosen):
        b, tw, times = map(int, stage)
        for _ in range(times):
            more = (b + tw) * tw / (63 * 31)  # entries of a step over those at b = 32
            line = 2 * 2100 + 13 * 30 + 3400 * max(1, more / 2)
            seconds += chase(case.n, b, 1.5 * line, 4 * 1660 / 2 * more)
            b -= tw
    return seconds


def dense(case, sides):
    """Products and updates at half of the tensor cores' rate, panels of 64 columns at 3 us a column, 10 us
    between tasks of which one needs the other; merges as if nothing was deflated; the bus at 55 GB/s and locks at 29
    and 55 GB/s, of which nothing is hidden."""
    n, vectors, b = case.n, case.jobz == "V", 64
    first = sides * (4 / 3 * n**3 / (TENSOR / 2) + n * 3e-6 + 4 * n / b * 10e-6)
    moved = 8 * n * n * (1 + sides * vectors) * (1 / 55e9 + 1 / 29e9 + 1 / 55e9)
    back = sides * (APPLY[n] + 2 * n**3 / (TENSOR / 2)) if vectors else 0
    merges = sides * 4 / 3 * n**3 / (TENSOR / 2) if vectors else 0
    return first + merges + back + moved


def heev(case, _chosen):
    return dense(case, 1) + hb2st(case._replace(b=64), "")


def gesvd(case, _chosen):
    """With vectors one stage from b = 64, without two."""
    stages = '"band":64,"tw":63,"times":1' if case.jobz == "V" else '"band":64,"tw":32,"times":1,"band":32,"tw":31,"times":1'
    return dense(case, 2) + gb2bd(case, stages)


# ---- What is counted --------------------------------------------------------------------------

def run(program, stand_ins, case, home):
    """What was chosen, the planned operations, and launches, those of cuBLAS, blocks, bytes there and home."""
    record = home + "/record"
    env = dict(os.environ, LD_LIBRARY_PATH=stand_ins, LD_PRELOAD="libcudart.so", STARPU_HOME=home, STARPU_HOSTNAME="headlines",
               VGPU_DEVICES="1", VGPU_SMS=str(PROCESSORS), VGPU_MEMORY="140000", VGPU_DRY="1", VGPU_RECORD=record)
    ran = subprocess.run([program, case.algorithm, case.type, *map(str, (case.n, case.b, case.count)), case.jobz],
                         env=env, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if ran.returncode:
        sys.exit(f"{case}: exit {ran.returncode}\n{ran.stdout}")
    launches = products = blocks = there = back = 0
    with open(record, encoding="ascii") as f:
        for w in (line.rstrip("\n").split("\t") for line in f):
            if w[0] == "launch":
                launches += int(w[6])
                blocks += int(w[8])
                products += int(w[6]) if int(w[8]) == 0 else 0
            elif w[0] == "link" and w[1] != w[2]:
                there += int(w[3]) if w[1] == "host" else 0
                back += int(w[3]) if w[2] == "host" else 0
    os.remove(record)
    tasks = dict((w[1], int(w[2])) for w in (line.split() for line in ran.stdout.splitlines()) if w[:1] == ["plan"])
    work = sum(float(line.split()[3]) for line in ran.stdout.splitlines() if line.startswith("plan "))
    return ran.stdout, tasks, work, (launches, products, blocks, there, back)


def compiled(page, case):
    """Registers, bytes of shared memory and blocks on a processor of its kernel."""
    for line in page.splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if len(cells) == 9 and cells[0].startswith("`" + case.kernel) and case.purpose in cells[1].split(", "):
            return cells[3], cells[6], cells[7].split()[0]
    sys.exit(f"docs/gpu-kernels.md has no {case.kernel} for {case.purpose}")


def of_sweeps(tasks, counted):
    """gesvj, whose sweeps end at once where nothing is computed: as many tasks as planned, with the launches that
    launches.sh counts for each; blocks of a launch: a pair's angle, and its rows."""
    launches = 8 * tasks["gesvj_start"] + 13 * tasks["gesvj_finish"] + tasks["gesvj_angle"] + tasks["gesvj_update"]
    return (launches, 0, "264, 4224 each", *counted[3:])


def results(source, machine):
    with open(source / f"bench/results/{machine}.jsonl", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def was_measured(rows, case, count, seconds):
    """Whether the records have it."""
    def median(r):
        s = r.get("seconds")
        return s.get("median") if isinstance(s, dict) else s
    algorithm = "powm_spmv" if case.algorithm == "powm" else case.algorithm
    return any((r.get("algo"), r.get("type"), r.get("n")) == (algorithm, case.type, case.n) and
               (r.get("batch") or r.get("count") or 1) == count and median(r) and abs(median(r) - seconds) < 1e-4 * seconds for r in rows)


def short(x):
    return f"{x:.3g}" if x >= 10 else f"{x:.2g}"


def time(seconds):
    unit, scale = ("s", 1) if seconds >= 0.0995 else ("ms", 1e3) if seconds >= 0.995e-3 else ("us", 1e6)
    return f"{short(seconds * scale)} {unit}"


def row_of(case, counted, work, kernel, floor, guess):
    launches, products, blocks, there, back = counted
    name = f"{case.algorithm} {case.type} {case.n}" if case.algorithm not in STEP else f"{case.algorithm} step, {case.n} rows"
    name += f" b={case.b}" if case.b else f" x {case.count}" if case.count > 1 else " vectors" if case.jobz == "V" else ""
    measured = " -> ".join(time(s) + (f" ({count})" if count != case.count else "") for _, count, s in case.measured)
    asked = time(case.asked) + (", missed" if guess > case.asked else "") if case.asked else "-"
    bus = f"{there / 1e9:.2f}, {back / 1e9:.2f}" if there else "-"
    return (f"| `{name}` | {launches}" + (f", {products} of cuBLAS" if products else "") +
            f" | {blocks} | {bus} | {short(work / 1e12)} | {', '.join(kernel)} | "
            f"{time(floor)} | {time(guess)} | {guess / floor:.2g} | {asked} | "
            f"{case.before or '-'} | {measured or '-'} |")


def main():
    program, stand_ins, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    table = sys.argv[4:] == ["--table"]
    loader = importlib.machinery.SourceFileLoader("gpu_report", str(source / "scripts/gpu-report"))
    sys.dont_write_bytecode = True
    report = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_report", loader))
    loader.exec_module(report)
    records = {machine: results(source, machine) for machine in (H100, H200)}
    floors = report.Floors({r["fact"]: r["value"] for r in records[H200] if "fact" in r})
    kernels = (source / "docs/gpu-kernels.md").read_text(encoding="utf-8")
    page = (source / "docs/gpu-estimates.md").read_text(encoding="utf-8").splitlines()
    bad = []
    with tempfile.TemporaryDirectory() as home:
        run(program, stand_ins, CASES[0], home)  # StarPU measures the bus
        for case in CASES:
            if case.algorithm in STEP:
                chosen, tasks, work, counted = "chosen ", {}, 2 * STEP[case.algorithm][0], ("2 a step", 0, 4 * PROCESSORS + 1, 0, 0)
            else:
                told, tasks, work, counted = run(program, stand_ins, case, home)
                chosen = told[told.index("chosen "):].splitlines()[0]
            if case.algorithm == "gesvj":
                counted = of_sweeps(tasks, counted)
            elif case.algorithm == "heevj":
                work = (40 / 3 + 3) * case.n**3 * case.count  # the plan's are Jacobi's
            floor = floors.seconds({"algo": case.algorithm, "type": case.type, "n": case.n, "band": case.b, "batch": case.count,
                                    "jobz": case.jobz, "method": "lanes", "plan": json.loads("{" + chosen[7:] + "}")})
            if case.algorithm in STEP:
                floor = STEP[case.algorithm][1] / floors.rate("copy")
            guess = globals()[case.algorithm](case, chosen)
            row = row_of(case, counted, work, compiled(kernels, case), floor, guess)
            if table:
                print(row, flush=True)
            elif row not in page:
                bad.append(f"docs/gpu-estimates.md has not: {row}")
            # as many launches of chases as there are stages, of everything
            stages = sum(map(int, re.findall(r'"times":(\d+)', chosen))) or 1
            for chased in ("hb2st_chase", "gb2bd_chase"):
                if chased in tasks and tasks[chased] != (stages if case.algorithm != "gesvd" else tasks[chased]):
                    bad.append(f"{case.algorithm} {case.n} {case.b}: {tasks[chased]} tasks {chased}, not {stages}")
            for machine, count, seconds in case.measured:
                if not was_measured(records[machine], case, count, seconds):
                    bad.append(f"{machine} has no {seconds} s of {case.algorithm} {case.type} {case.n} x {count}")
    print("\n".join(bad) or f"{len(CASES)} problems as the page says")
    return 1 if bad else 0


sys.exit(main())
