"""orrery replay and simulate --output: the schedule as a graph, by hand, and of all schedulers on graphs of families, where no worker does two things at
a time, no task begins before what it waits for, and the times are those that were printed.

    schedule.py ORRERY ORRERY-SIM     without the latter nothing is simulated

SPDX-License-Identifier: BSD-3-Clause"""
import json, os, re, subprocess, sys
from collections import Counter

from checks import call, check, empty_directory, finish

orrery, sim = map(os.path.abspath, sys.argv[1:3])
source = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
empty_directory()
SCHEDS = "fifo", "priorities", "distances", "heft", "heteroprio", "heteroprio-spoliation"


def write(name, *lines, workers="cpu 1 cuda 1 opencl 0"):
    with open(name, "w") as f:
        f.write(f"orrery graph 2\nrecorded on h&re {workers}\ntasks {sum(not x.startswith(('data', 'pause')) for x in lines)}\n")
        f.writelines(x + "\n" if x.startswith(("data", "pause")) else f"task {x}\n" for x in lines)
        f.write("end\n")


def replay(*words):
    code, out, err = call(orrery, "replay", *words, "-q", "--json", "-")
    return code, [json.loads(line) for line in out.splitlines()], err


def read(name):
    """The second line, and the keys of each task."""
    lines = open(name).read().splitlines()
    keys = lambda line: dict([("name", line.split()[1])] + [w.split("=") for w in line.split() if "=" in w])
    return lines[1], [keys(line) for line in lines if line.startswith("task ")]


def edges(name):
    call(orrery, "graph", "draw", name, "-o", "edges.dot")
    return [(int(a) - 1, int(b) - 1) for a, b in re.findall(r"t(\d+) -> t(\d+);", open("edges.dot").read())]


# By hand: a and c on the CPU, b on the device, which takes it for 2; j is over with c. What the recording had is gone: what ran where, ranks,
# when it was submitted, and joules. How many workers there are, and who made it, is told.
write("hand.graph", "data 1 8000", "a cpu=3 ran=cpu worker=7 rank=2 node=3 submit=1 ready=2 start=4 end=7 joules=5 flops=6 1:W",
      "b cuda=2 priority=4 model=m footprint=1f 1:R", "pause 9", "c cpu=4 phase=1 ran=cpu worker=1", "j where=none phase=1 after=3", "d cpu=1 phase=1 after=4")
code, rows, err = replay("hand.graph", "--sched", "fifo", "--output", "out.graph")
host, tasks = read("out.graph")
check(code == 0 and not err and host == "recorded on replay:fifo@h&re cpu 1 cuda 1 opencl 0" and abs(1e6 * rows[0]["makespan"] - 10) < 1e-9, f"{code} {host} {rows} {err}")
wanted = [dict(name="a", where="cpu", ran="cpu", worker="0", node="0", ready="0.000", start="0.000", end="3.000", flops="6", cpu="3.000"),
          dict(name="b", where="cuda", model="m", footprint="1f", priority="4", ran="cuda", worker="0", node="1", ready="3.000", start="3.000", end="5.000", cuda="2.000"),
          dict(name="c", where="cpu", phase="1", ran="cpu", worker="0", node="0", ready="5.000", start="5.000", end="9.000", cpu="4.000"),
          dict(name="j", where="none", phase="1", ready="9.000", start="9.000", end="9.000", after="3"),
          dict(name="d", where="cpu", phase="1", ran="cpu", worker="0", node="0", ready="9.000", start="9.000", end="10.000", cpu="1.000", after="4")]
for got, want in zip(tasks, wanted):
    check(got == want, f"{got}, not {want}")
check("pause 9.000\n" in open("out.graph").read() and " 1:R" in open("out.graph").read(), "data and pauses stay")

# A schedule of a schedule has the first machine's name; one that is long is cut, and can be read.
check(replay("out.graph", "--sched", "heft", "-o", "two.graph")[0] == 0 and read("two.graph")[0].startswith("recorded on replay:heft@h&re cpu"), read("two.graph")[0])
with open("long.graph", "w") as f:
    f.write(open("hand.graph").read().replace("h&re", "h" * 63))
check(replay("long.graph", "--sched", "heteroprio-spoliation", "-o", "out.graph")[0] == 0 and
      read("out.graph")[0] == f"recorded on replay:heteroprio-spoliation@{'h' * 34} cpu 1 cuda 1 opencl 0", read("out.graph")[0])
# Letters that are not ASCII stay.
with open("letters.graph", "w", encoding="utf-8") as f:
    f.write(open("hand.graph").read().replace("h&re", "hü"))
check(replay("letters.graph", "--sched", "fifo", "-o", "out.graph")[0] == 0 and "recorded on replay:fifo@hü cpu" in open("out.graph", encoding="utf-8").read(), "letters")
# To standard output, and nothing else there.
code, out, err = call(orrery, "replay", "hand.graph", "--sched", "fifo", "--output", "-")
check(code == 0 and out.startswith("orrery graph 2\n") and out.endswith("\nend\n") and "makespan" in err, f"{code} {out} {err}")

# Tasks that take other times than believed take them in the graph, overhead and all; where no accelerator was, none was wanted.
write("cpus.graph", "a cpu=3 cuda=1 wants=cpu", "a cpu=3", "b cuda=5 wants=cpu", workers="cpu 1 cuda 0 opencl 0")
code, rows, err = replay("cpus.graph", "--gpus", "1", "--sched", "heft", "--bias", "cuda=2", "--overhead", "1", "-o", "out.graph")
host, tasks = read("out.graph")
check(host.endswith(" cpu 1 cuda 1 opencl 0") and [(t["ran"], t["start"], t["end"], t[t["ran"]], "wants" in t) for t in tasks] ==
      [("cpu", "0.000", "4.000", "4.000", False), ("cuda", "11.000", "14.000", "3.000", False), ("cuda", "0.000", "11.000", "11.000", False)], f"{host} {tasks} {err}")
# Nothing of a phase begins before the one before it has ended, on no worker.
write("barrier.graph", "a cpu=1", "b cpu=4", "c phase=1 cpu=2", "d phase=1 cpu=2")
for sched in SCHEDS:
    replay("barrier.graph", "--cpus", "2", "--gpus", "0", "--sched", sched, "-o", "out.graph")
    check([t["start"] for t in read("out.graph")[1]] == ["0.000", "0.000", "4.000", "4.000"], f"{sched}: {read('out.graph')}")
# A kind has its own name and memory, whichever others there are.
write("opencl.graph", "a opencl=2", "b cuda=3 opencl=2", workers="cpu 0 cuda 0 opencl 1")
check(replay("opencl.graph", "--sched", "fifo", "-o", "out.graph")[0] == 0 and
      [(t["ran"], t["node"], t["start"], t["opencl"]) for t in read("out.graph")[1]] == [("opencl", "1", "0.000", "2.000"), ("opencl", "1", "2.000", "2.000")],
      f"{read('out.graph')}")
check(replay("opencl.graph", "--sched", "fifo", "--slow", "opencl0=4", "-o", "out.graph")[0] == 0 and [t["end"] for t in read("out.graph")[1]] == ["8.000", "16.000"],
      f"a slow one: {read('out.graph')}")
# A task may run where only its like has run.
write("like.graph", "a where=cpu cpu=9", "a cuda=1", "a where=cpu cpu=9")
check(replay("like.graph", "--sched", "heft", "-o", "out.graph")[0] == 0 and [t["where"] for t in read("out.graph")[1]] == ["cpu,cuda", "cuda", "cpu,cuda"], f"{read('out.graph')}")
write("wants.graph", "a cpu=3 cuda=1 wants=cpu")
check(replay("wants.graph", "--sched", "fifo", "-o", "out.graph")[0] == 0 and read("out.graph")[1][0]["wants"] == "cpu", "a choice that was made stays")



def consistent(case, before, most, row, ends, slack):
    """No worker does two things at a time, no task begins before what it waits for, and times and counts are those that were printed. Times in us,
    rounded to ns; slack: of the end."""
    tasks = [{"ran": t["ran"]} | {k: float(t.get(k, "nan")) for k in ("worker", "submit", "ready", "start", "end", t["ran"])} for t in read("out.graph")[1]]
    check(all(t["worker"] < most[t["ran"]] and abs(t["end"] - t["start"] - t[t["ran"]]) < 0.0021 and not t["ready"] > t["start"]
              and not t["submit"] > t["start"] for t in tasks), f"{case}: workers and times")
    check(before == edges("out.graph") and not any(tasks[a]["end"] > tasks[b]["start"] + 0.0011 or tasks[a]["end"] > tasks[b]["ready"] + 0.0011 for a, b in before), f"{case}: edges")
    lanes = {}
    for t in sorted(tasks, key=lambda t: t["start"]):
        check(lanes.get((t["ran"], t["worker"]), 0) <= t["start"] + 0.0011, f"{case}: two at a time")
        lanes[t["ran"], t["worker"]] = t["end"]
    last = max(lanes.values())
    check(-0.001 <= 1e6 * ends - last <= slack, f"{case}: {last} and {1e6 * ends}")
    check({k: sum(t["ran"] == k for t in tasks) for k in row["ran"]} == row["ran"], f"{case}: {row['ran']}")
    first = min(t["start"] for t in tasks)
    code, out, err = call(orrery, "graph", "info", "out.graph", "-q", "--json", "-")
    check(code == 0 and abs(1e6 * json.loads(out)["recorded"] - (last - first)) < 0.0021, f"{case}: info {out}{err}")


# All schedulers, two kinds of workers and one.
FAMILIES = ("cholesky", ("--size", "6", "--gflops", "4:30")), ("layered", ("--size", "9", "--depth", "6", "--degree", "2", "--gflops", "4:9")), ("jacobi", ("--size", "4",))
for family, words in FAMILIES:
    call(orrery, "graph", "make", family, *words, "--cv", "0.4", "-q", "-o", "made.graph")
    before = edges("made.graph")
    for cpus, gpus in (3, 0 if family == "jacobi" else 2), (1, 0):
        for sched in SCHEDS:
            for more in (), ("--noise", "0.5"):
                code, rows, err = replay("made.graph", "--cpus", str(cpus), "--gpus", str(gpus), "--sched", sched, *more, "-o", "out.graph")
                case = f"{family} {cpus} {gpus} {sched} {more}"
                check(code == 0 and len(rows) == 1, f"{case}: {code} {err}")
                consistent(case, before, {"cpu": cpus, "cuda": gpus}, rows[0], rows[0]["makespan"], 0.001)
check(call(orrery, "graph", "draw", "out.graph", "-o", "out.svg")[0] == 0, "it can be drawn")

# Times that no graph could be read with are refused, not written.
write("far.graph", "data 1 8", "a cpu=9e14 1:W", "a cpu=9e14 1:RW", "b cuda=5", workers="cpu 1 cuda 1 opencl 0")
for words in ("--bias", "cpu=1e3"), ("--bias", "a=1.2"):
    if os.path.exists("far-out.graph"):
        os.remove("far-out.graph")
    code, rows, err = replay("far.graph", "--sched", "fifo", *words, "-o", "far-out.graph")
    check(code == 3 and "task 1 (a)" in err and not os.path.exists("far-out.graph"), f"{words}: {code} {err}")
check(replay("far.graph", "--sched", "fifo", "-o", "far-out.graph")[0] == 0 and read("far-out.graph")[1][1]["end"] == "1800000000000000.000", "as far as a graph goes")

# One schedule, of a list, to a file of its own; nothing is written otherwise.
os.remove("out.graph")
one = "hand.graph", "--sched", "fifo"
for words, message in {("hand.graph", ): "one --sched", ("hand.graph", "--sched", "fifo,heft"): "one --sched", (*one, "cpus.graph"): "one FILE.graph",
                       (*one, "--cpus", "1,2"): "--cpus", (*one, "--gpus", "1,2"): "--gpus", (*one, "--noise", "1", "--seeds", "1,2"): "--seeds",
                       ("hand.graph", "--on", "real", "--sched", "lws"): "--on list"}.items():
    code, out, err = call(orrery, "replay", *words, "--output", "out.graph")
    check(code == 2 and not out and message in err and not os.path.exists("out.graph"), f"{words}: {code} {out} {err}")
for output, more, wanted in ("hand.graph", (), 2), ("./hand.graph", (), 2), ("x", ("--json", "./x"), 2), ("x.html", (), 2), ("-", ("--json", "-"), 2), ("no/out.graph", (), 3):
    held = open("hand.graph").read()
    code, out, err = call(orrery, "replay", *one, "--output", output, *more)
    check(code == wanted and not out and err and open("hand.graph").read() == held, f"{output} {more}: {code} {out} {err}")
write("hip.graph", "a cpu=1 cuda=1", workers="cpu 1 cuda 1 opencl 1")
code, out, err = call(orrery, "replay", "hip.graph", "--sched", "heteroprio", "-o", "out.graph", "-q")
check(code == 77 and not os.path.exists("out.graph") and "two kinds" in err, f"a scheduler that cannot run: {code} {out} {err}")

# The same of orrery simulate.
node = os.path.join(source, "perfmodels", "h200x8.machine")
for words, message in (("--sched", "lws,eager"), "one --sched"), (("--cpus", "1,2"), "--cpus"), (("--gpus", "1,2"), "--gpus"), (("--noise", "1", "--seeds", "1,2"), "--seeds"):
    code, out, err = call(orrery, "simulate", "--machine", node, *words, "hand.graph", "--output", "out.graph")
    check(code == 2 and not out and message in err and not os.path.exists("out.graph"), f"{words}: {code} {out} {err}")
for output, more in ("hand.graph", ()), (node, ()), ("x", ("--json", "./x")), ("x.svg", ()):
    code, out, err = call(orrery, "simulate", "--machine", node, "hand.graph", "--output", output, *more)
    check(code == 2 and not out and err, f"{output} {more}: {code} {out} {err}")


def simulate(*words):
    code, out, err = call(orrery, "simulate", "--machine", node, *words, "--output", "out.graph", "-q", "--json", "-", ORRERY_SIM=sim)
    return code, [json.loads(line) for line in out.splitlines()], err


if os.path.exists(sim):
    # By hand: 3 us a task are StarPU's. a and b run at once, the second phase begins 50 us after both; what joins has no times. A worker that polls
    # sees a task 1 us later.
    write("hand.graph", "a cpu=100 ran=cpu worker=1 rank=3 joules=4 start=7 end=107", "j where=none after=1", "b cpu=40", "pause 50", "c cpu=10 phase=1")
    code, rows, err = simulate("--cpus", "2", "--sched", "eager", "hand.graph")
    host, tasks = read("out.graph")
    check(code == 0 and host == "recorded on simulate:eager@h200x8 cpu 2 cuda 0 opencl 0", f"{code} {err} {host}")
    for number, cpu, submit, start, end in (0, "103.000", 0, 0, 103), (2, "43.000", 0, 0, 43), (3, "13.000", 153, 153, 166):
        t = tasks[number]
        late = [float(t[k]) - x for k, x in (("submit", submit), ("start", start), ("end", end))]
        check((t["ran"], t["node"], t["cpu"]) == ("cpu", "0", cpu) and 0 <= late[0] <= late[1] == late[2] <= 3, f"{t}")
    check(not {"ran", "worker", "start", "end"} & set(tasks[1]) and tasks[0]["worker"] != tasks[2]["worker"] and not {"rank", "joules"} & set(tasks[0]), f"{tasks}")
    write("far.graph", "data 1 8", "a cpu=9e14 1:W", "a cpu=9e14 1:RW")
    code, rows, err = simulate("--cpus", "1", "--sched", "eager", "--bias", "a=1.2", "far.graph")
    check(code == 3 and "task 1 (a)" in err and "schedule.graph" not in err, f"far: {code} {err}")
    # All kinds of policies. A worker sees the end of a kernel with the next look at its device, 10 us later at most.
    for family, words in FAMILIES:
        call(orrery, "graph", "make", family, *words, "--cv", "0.4", "-q", "-o", "made.graph")
        before = edges("made.graph")
        for cpus, gpus in (3, 0 if family == "jacobi" else 2), (1, 0), (0, 0 if family == "jacobi" else 1):
            for sched in ("eager", "lws", "dmdas", "affine", "lookahead") if cpus + gpus else ():
                code, rows, err = simulate("--cpus", str(cpus), "--gpus", str(gpus), "--sched", sched, "--noise", "0.3", "made.graph")
                case = f"simulate {family} {cpus} {gpus} {sched}"
                check(code == 0 and len(rows) == 1, f"{case}: {code} {err}")
                consistent(case, before, {"cpu": cpus, "cuda": gpus}, rows[0], rows[0]["tasks_end"], 10.01 if gpus else 0.002)
    call(orrery, "graph", "draw", "out.graph", "-o", "out.svg")
    check("simulated under lookahead on h200x8, 1 CPU worker<" in open("out.svg").read(), "its picture")
    # All devices are alike: independent tasks are dealt to all of them.
    with open("many.graph", "w") as f:
        f.write("orrery graph 2\nrecorded on hand cpu 0 cuda 1 opencl 0\ntasks 40\n" + "".join(f"data {i} 1000\n" for i in range(1, 41)) +
                "".join(f"task a where=cuda cuda=1000 {i}:RW\n" for i in range(1, 41)) + "end\n")
    for gpus in 1, 2, 3, 8:
        for sched in "dm", "dmda", "dmdar", "dmdas", "affine", "lookahead":
            code, rows, err = simulate("--cpus", "0", "--gpus", str(gpus), "--sched", sched, "many.graph")
            each = Counter(t["worker"] for t in read("out.graph")[1])
            check(code == 0 and sorted(each.values()) == [40 // gpus] * (gpus - 40 % gpus) + [40 // gpus + 1] * (40 % gpus), f"{gpus} {sched}: {code} {each} {err}")
else:
    print("left out: no orrery-sim here")
finish("schedule")
