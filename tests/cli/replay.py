"""orrery replay --on list: makespans computed by hand, and known ratios of HEFT and HeteroPrio.

    replay.py ORRERY [PROTOTYPE]      the times of the known ratios are in PROTOTYPE/record/hp.py

SPDX-License-Identifier: BSD-3-Clause"""
import json, os, re, subprocess, sys

from checks import call, check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
reference = os.path.join(sys.argv[2], "record", "hp.py") if len(sys.argv) > 2 else ""
source = open(reference).read() if os.path.exists(reference) else ""
empty_directory()


def write(name, *tasks):
    with open(name, "w") as f:
        f.write(f"orrery graph 2\nrecorded on hand cpu 1 cuda 1 opencl 0\ntasks {len(tasks)}\n")
        f.writelines(f"task {t}\n" for t in tasks)
        f.write("end\n")


def replay(*words):
    done = subprocess.run([orrery, "replay", *words, "-q", "--json", "-"], capture_output=True, text=True)
    return done.returncode, {r["sched"]: r for r in map(json.loads, done.stdout.splitlines())}, done.stderr


def by_hand(name, words, wanted):
    code, rows, err = replay(name, *words)
    for sched, us in wanted.items():
        got = 1e6 * rows[sched]["makespan"] if sched in rows else None
        check(code == 0 and got is not None and abs(got - us) < 1e-6, f"{name} {words} {sched}: {got}, not {us}; {err}")


# One kind of worker. Three independent tasks in order 1, 1, 2 on two: the long one last, unless distances say so.
write("three.graph", "a cpu=1", "b cpu=1", "c cpu=2 priority=5")
by_hand("three.graph", ("--cpus", "2", "--gpus", "0"), {"fifo": 3, "priorities": 2, "distances": 2, "heft": 2, "heteroprio": 3})
by_hand("three.graph", ("--cpus", "2", "--gpus", "0", "--overhead", "1"), {"fifo": 5, "distances": 4})
# A chain of two behind a long one: the chain first.
write("chain.graph", "a cpu=3", "b cpu=2", "c cpu=2 after=2", "d cpu=1")
by_hand("chain.graph", ("--cpus", "1", "--gpus", "0"), {"fifo": 8, "distances": 8, "heft": 8})
by_hand("chain.graph", ("--cpus", "2", "--gpus", "0"), {"fifo": 4, "distances": 4, "heft": 4})
# Phases: nothing of the second before all of the first. Tasks that run nowhere take no time and no worker.
write("phase.graph", "a cpu=1", "b cpu=4", "j where=none after=1", "c cpu=3 after=3", "d phase=1 cpu=2", "e phase=1 cpu=2")
by_hand("phase.graph", ("--cpus", "2", "--gpus", "0"), {"fifo": 6, "distances": 6, "heft": 6, "heteroprio": 6})
# A worker that is free waits for the phase's last task.
write("barrier.graph", "a cpu=1", "b cpu=4", "c phase=1 cpu=2")
by_hand("barrier.graph", ("--cpus", "2", "--gpus", "0"), {s: 6 for s in ("fifo", "distances", "heft", "heteroprio")})
# The first phase is the first task's.
write("late.graph", "a phase=2 cpu=3", "b phase=4 cpu=1")
by_hand("late.graph", ("--gpus", "0"), {s: 4 for s in ("fifo", "heft", "heteroprio")})
# Two kinds. HEFT: of a (mean 5.5) and b (mean 5), a goes to the GPU for 1, b behind it until 3.
write("two.graph", "a cpu=10 cuda=1", "b cpu=8 cuda=2")
by_hand("two.graph", (), {"heft": 3, "fifo": 8, "heteroprio": 8, "heteroprio-spoliation": 3})
code, rows, err = replay("two.graph", "--sched", "heteroprio-spoliation")
check(list(rows) == ["heteroprio-spoliation"] and rows["heteroprio-spoliation"]["spoliated"] == 1 and
      rows["heteroprio-spoliation"]["ran"] == {"cpu": 0, "cuda": 2} and
      abs(1e6 * rows["heteroprio-spoliation"]["busy"]["cpu"] - 1) < 1e-9, f"spoliation: {rows}")
# What a task costs besides its time counts where one kind is weighed against the other: the GPU is free at 4 and at 7, and would end b at 9 and at
# 15; the CPU ends it at 11 and at 14. At the same time it does not take it over. HEFT has b on the CPU until 13, not behind a until 14.
by_hand("two.graph", ("--overhead", "3"), {"heteroprio-spoliation": 9})
by_hand("two.graph", ("--overhead", "6"), {"heteroprio-spoliation": 14})
write("same.graph", "a cpu=10 cuda=1", "b cpu=8 cuda=7")
code, rows, err = replay("same.graph", "--sched", "heteroprio-spoliation")
check(code == 0 and rows["heteroprio-spoliation"]["spoliated"] == 0 and rows["heteroprio-spoliation"]["ran"] == {"cpu": 1, "cuda": 1}, f"no gain: {rows} {err}")
by_hand("same.graph", ("--bias", "cpu=2"), {"heteroprio-spoliation": 16})  # b is believed to end at 8
write("dear.graph", "a cpu=16 cuda=2", "b cpu=9 cuda=4")
by_hand("dear.graph", ("--overhead", "4"), {"heft": 13})
# HEFT's means are over the workers: of three CPUs and a GPU a's is 6.25, before b's of 6. Of kinds that are equally fast the first takes a task.
write("mean.graph", "a cpu=8 cuda=1", "b cpu=6 cuda=6")
by_hand("mean.graph", ("--cpus", "3"), {"heft": 6})
write("equal.graph", "a cpu=2 cuda=2", "b cpu=4 cuda=1")
by_hand("equal.graph", (), {"fifo": 2})
# What runs on one kind only waits for it.
write("only.graph", "a cuda=2", "b cuda=2", "c cpu=1")
by_hand("only.graph", (), {"fifo": 4, "heft": 4, "heteroprio": 4, "heteroprio-spoliation": 4})
code, rows, err = replay("only.graph", "--gpus", "0")
check(code == 77 and "no worker can run task 1 (a)" in err, f"{code} {err}")
# Every graph and every number of workers is looked at before the first is run.
for words in ("two.graph", "only.graph", "--gpus", "0"), ("only.graph", "--gpus", "1,0"), ("two.graph", "absent.graph"), ("two.graph", "--cpus", "1,0", "--gpus", "0"):
    code, out, err = call(orrery, "replay", *words)
    check(code == (3 if "absent.graph" in words else 77) and not out, f"{words}: {code} {out}{err}")
# Tasks that want to run somewhere do, where such a worker is there and they have a time: a on the GPU, c on the CPU. The bound knows it.
WANTS = "a cpu=1 cuda=7 wants=accelerator", "b cpu=2 cuda=5", "c cpu=5 cuda=1 wants=cpu", "j where=none after=1 wants=cpu"
everyone = "fifo", "priorities", "distances", "heft", "heteroprio", "heteroprio-spoliation"
write("wants.graph", *WANTS)
by_hand("wants.graph", (), {s: 7 for s in everyone})
by_hand("wants.graph", ("--gpus", "0"), {s: 8 for s in everyone})
by_hand("wants.graph", ("--cpus", "0"), {s: 13 for s in everyone})
by_hand("wants.graph", ("--bias", "a:cpu=0.1,c:cuda=0.1"), {s: 7 for s in everyone})
check(abs(1e6 * replay("wants.graph")[1]["heft"]["bound"]["lp"] - 7) < 0.07, "the bound knows where tasks want to run")
# Where they have no time they cannot; a graph that was recorded without accelerators does not say what it wants.
write("wants.graph", "a cpu=3 wants=accelerator", "b cuda=2 wants=cpu")
by_hand("wants.graph", (), {s: 3 for s in everyone})
write("wants.graph", *WANTS)
with open("wants.graph") as f:
    text = f.read()
with open("unsaid.graph", "w") as f:
    f.write(text.replace("cuda 1", "cuda 0"))
by_hand("unsaid.graph", ("--gpus", "1"), {"fifo": 6, "heft": 3})
with open("opencl.graph", "w") as f:
    f.write(text.replace("cuda 1 opencl 0", "cuda 0 opencl 1"))
by_hand("opencl.graph", ("--gpus", "1", "--sched", "fifo,heft"), {"fifo": 7, "heft": 7})
# Graphs of families, 1 ms a task. Two workers run three tasks in two rounds; Cholesky of 3 tiles is bound by its chain of 7, 4 blocks of
# bulges by theirs of 9, jacobi by 3 rounds of angle and update of 2 pairs each.
for name, words, cpus, ms in (("fork", "fork-join --size 3 --depth 1", "2", 4), ("full", "layered --size 3 --depth 2 --degree 3", "2", 4),
                              ("cholesky", "cholesky --size 3", "2", 7), ("bulge", "bulge --size 4", "2", 9), ("jacobi", "jacobi --size 4 --depth 1", "2", 6),
                              ("lu", "lu --size 2 --time getrf=1000,trsm=2000,gemm=3000", "2", 7)):
    subprocess.run([orrery, "graph", "make", *words.split(), "-q", "-o", name + ".graph"], check=True)
    by_hand(name + ".graph", ("--cpus", cpus), {s: 1000 * ms for s in ("fifo", "priorities", "distances", "heft", "heteroprio", "heteroprio-spoliation")})
by_hand("bulge.graph", ("--cpus", "1"), {"fifo": 10000, "heft": 10000})
by_hand("jacobi.graph", ("--cpus", "1"), {"fifo": 12000, "heft": 12000})
# Three tasks that the GPU runs 4.5 times faster: all on it take 3 ms; who gives the idle CPU one waits for it.
subprocess.run([orrery, "graph", "make", "independent", "--size", "3", "--time", "work=4500:1000", "--gpus", "1", "-q", "-o", "gpu.graph"], check=True)
by_hand("gpu.graph", (), {"fifo": 4500, "distances": 4500, "heft": 3000, "heteroprio": 4500, "heteroprio-spoliation": 3000})

# A graph without tasks, as of a program that submitted none, and one whose tasks do nothing.
for name, tasks in ("none.graph", ""), ("joins.graph", "task join where=none\n"):
    with open(name, "w") as f:
        f.write(f"orrery graph 2\nrecorded on here cpu 2 cuda 0 opencl 0\ntasks {len(tasks) > 0:d}\n{tasks}end\n")
    by_hand(name, (), {"fifo": 0, "heft": 0, "heteroprio-spoliation": 0})
    check(all(r["ratio"] == 1 for r in replay(name)[1].values()), f"{name}: {replay(name)[1]}")
    said = subprocess.run([orrery, "replay", name], capture_output=True, text=True).stdout
    check("nan" not in said and "1.000  cpu 0 %" in said, f"{name}: {said}")

# What schedulers do not know. HEFT sends both to a GPU that is believed to be fast, and stays with it.
by_hand("two.graph", ("--bias", "cuda=10"), {"heft": 30, "fifo": 10, "distances": 20, "heteroprio-spoliation": 10})
by_hand("two.graph", ("--bias", "a:cuda=10,b=2"), {"heft": 14, "fifo": 16})
by_hand("two.graph", ("--slow", "cuda0=4"), {"heft": 12, "fifo": 8})
by_hand("two.graph", ("--slow", "cuda1=4"), {"heft": 3, "fifo": 8})
check("there is no cuda1, so no worker is slow" in replay("two.graph", "--slow", "cuda1=4")[2], "a slow worker that is not there")
by_hand("two.graph", ("--bias", "cpu=2"), {"heft": 3, "heteroprio": 16, "heteroprio-spoliation": 3})
by_hand("three.graph", ("--cpus", "2", "--gpus", "0", "--spikes", "1:3"), {"fifo": 9, "distances": 6})
by_hand("three.graph", ("--cpus", "2", "--gpus", "0", "--spikes", "1:3", "--overhead", "1"), {"fifo": 11})
by_hand("three.graph", ("--cpus", "2", "--gpus", "0", "--spikes", "0:3"), {"fifo": 3})
# Two CPUs: HEFT has c wait behind b, which takes 8 and not 2; the others give it to who is free at 3.
write("wrong.graph", "a cpu=3", "b cpu=2", "c cpu=2")
by_hand("wrong.graph", ("--cpus", "2", "--gpus", "0", "--bias", "b=4"), {"heft": 10, "fifo": 8, "distances": 8})
code, rows, err = replay("wrong.graph", "--cpus", "2", "--gpus", "0", "--bias", "b=4,cuda=2", "--spikes", "0.5:1", "--slow", "cpu1=1", "--sched", "heft")
check(rows["heft"]["truth"] == {"seed": 1, "noise": 0, "spikes": {"share": 0.5, "factor": 1}, "slow": {"worker": "cpu1", "factor": 1},
      "bias": [{"codelet": "b", "kind": None, "factor": 4}, {"codelet": None, "kind": "cuda", "factor": 2}]} and
      abs(1e6 * rows["heft"]["believed"] - 4) < 1e-9 and abs(1e6 * rows["heft"]["bound"]["area"] - 6.5) < 1e-9, f"{rows} {err}")
check(replay("wrong.graph", "--cpus", "2")[1]["heft"]["truth"] is None, "no truth of its own")


# Noise: all schedules of a seed meet the same times, so one worker takes equally long under all; equal seeds, equal bytes;
# 3000 tasks take as long as they are believed to within 4 standard errors; of spikes of 100 there are as many as were asked for.
def seeds(name, *words):
    done = subprocess.run([orrery, "replay", name, *words, "-q", "--json", "-"], capture_output=True, text=True)
    return done.stdout, [json.loads(line) for line in done.stdout.splitlines()]


subprocess.run([orrery, "graph", "make", "independent", "--size", "3000", "-q", "-o", "many.graph"], check=True)
noisy = "many.graph", "--noise", "0.5", "--seeds", "1,2,1", "--sched", "fifo,distances,heft"
text, rows = seeds(*noisy)
check(text == seeds(*noisy)[0] and len(rows) == 9, "equal seeds, other bytes")
check([r["truth"]["seed"] for r in rows] == [1, 1, 1, 2, 2, 2, 1, 1, 1] and rows[:3] == rows[6:], "seeds in turn")
total = [r["makespan"] for r in rows]
check(max(total[:3]) - min(total[:3]) < 1e-9 and abs(total[3] - total[0]) > 1e-6, f"{total}")
check(all(abs(t / 3 - 1) < 4 * 0.5 / 3000 ** 0.5 for t in total), f"{total}")
rows = seeds("many.graph", "--spikes", "0.1:101", "--sched", "fifo")[1]
check(abs((rows[0]["makespan"] - 3) / 0.1 - 300) < 4 * (3000 * 0.1 * 0.9) ** 0.5, f"spikes: {rows}")
done = subprocess.run([orrery, "replay", *noisy], capture_output=True, text=True)
check("medians of 3 seeds" in done.stdout and "believed" in done.stdout and len(done.stdout.splitlines()) == 5, done.stdout)
for words, message in {("--noise", "-1"): "from 0 to 10", ("--noise", "x"): "'x' is not", ("--noise", "nan"): "'nan' is not", ("--spikes", "0.1"): "SHARE:FACTOR",
                       ("--spikes", "2:2"): "SHARE:FACTOR", ("--spikes", "0.1:0.5"): "SHARE:FACTOR", ("--bias", "a"): "'a' is not", ("--bias", "a:tpu=2"): "'a:tpu=2' is not",
                       ("--bias", "=2"): "'=2' is not", ("--bias", "a=0"): "'a=0' is not", ("--bias", "nosuch=2"): "no task is called 'nosuch'",
                       ("--slow", "cuda=2"): "WORKER=FACTOR", ("--slow", "cuda0"): "WORKER=FACTOR", ("--slow", "cuda0=0.5"): "WORKER=FACTOR",
                       ("--slow", "tpu0=2"): "WORKER=FACTOR", ("--seeds", "1,2"): "--seeds is for", ("--bias", ",".join(33 * ["a=2"])): "at most 32"}.items():
    code, rows, err = replay("two.graph", *words)
    check(code == 2 and not rows and message in err, f"{words}: {code} {err}")

check(replay()[0] == 2 and replay("only.graph", "--sched", "nosuch")[0] == 2 and replay("absent.graph")[0] == 3 and
      replay("only.graph", "--on", "moon")[0] == 2, "the command line")

# Schedulers of the other kind are told where they are.
for words, message in {("--sched", "dmdas"): "--on real and orrery simulate have StarPU's policies and Orrery's: 'dmdas' is one",
                       ("--sched", "affine"): "'affine' is one", ("--on", "real", "--sched", "lws,heft"): "'heft' is a scheduler of 'orrery replay --on list'"}.items():
    code, rows, err = replay("only.graph", *words)
    check(code == 2 and not rows and message in err, f"{words}: {code} {err}")
check("--on real" not in replay("only.graph", "--sched", "hefft")[2], "a name that nobody has")

# GPUs that can run nothing are told once, with the remedy.
write("cpus.graph", "a cpu=2", "b cpu=3")
code, rows, err = replay("cpus.graph", "--cpus", "1,2", "--gpus", "0,1", "--sched", "heft")
check(code == 0 and err.count("no task has a time on cuda") == err.count("\n") == 1 and "--time CODELET=:US" in err, f"idle GPUs: {code} {err}")
check(replay("cpus.graph", "--cpus", "2", "--gpus", "0")[2] == "" and replay("two.graph", "--gpus", "1")[2] == "", "nothing is idle")

# Independent kernels of Cholesky on 24 CPUs and 4 GPUs: within 1 % of the ratios to the area that are known.
kernels = {k: tuple(map(float, v)) for k, *v in re.findall(r"'(\w+)':\((\d+),(\d+)\)", source)}
if len(kernels) == 4:
    for n, heft, spoliation, without in (8, 1.452, 1.111, 1.469), (16, 1.170, 1.008, 1.097), (40, 1.094, 1.001, 1.017):
        count = {"potrf": n, "trsm": n * (n - 1) // 2, "syrk": n * (n - 1) // 2, "gemm": n * (n - 1) * (n - 2) // 6}
        write("hp.graph", *(f"{k} cpu={kernels[k][0]} cuda={kernels[k][1]}" for k in count for _ in range(count[k])))
        code, rows, err = replay("hp.graph", "--cpus", "24", "--gpus", "4", "--sched", "heft,heteroprio,heteroprio-spoliation")
        for sched, known in ("heft", heft), ("heteroprio-spoliation", spoliation), ("heteroprio", without):
            ratio = rows[sched]["ratio"] if sched in rows else 0
            print(f"{n} tiles {sched}: {ratio:.3f}, known {known}")
            check(abs(ratio - known) <= 0.01 * known, f"{n} tiles {sched}: {ratio}, not {known}; {err}")
else:
    print("skipped: no times for the known ratios (the prototype is not here)")
finish("replay")
