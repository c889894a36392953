"""orrery replay --on real: graphs under StarPU. Of times nothing is asked but that no run is faster than the bound and no
task shorter than it has to be; that edges were kept orrery-real checks itself, and ends with 6 if not.

    real.py ORRERY

SPDX-License-Identifier: BSD-3-Clause"""
import json, os, subprocess, sys, threading, time

from checks import call, check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
empty_directory()


def replay(*words, **more):
    return call(orrery, "replay", *words, **more)


def real(graph, *words):
    code, out, err = replay(graph, "--on", "real", "-q", "--json", "-", *words)
    check(code == 0, f"{graph} {words}: {code} {err}")
    return [json.loads(line) for line in out.splitlines()] if code == 0 else []


def make(name, *words):
    subprocess.run([orrery, "graph", "make", *words, "-q", "-o", name], check=True)


def fits(row, runs, seconds):
    """seconds: of all tasks together"""
    check(len(row["samples"]) == runs and row["makespan"] == sorted(row["samples"])[runs // 2] and
          min(row["samples"]) >= row["bound"]["lp"] * (1 - 1e-6) and row["busy"]["cpu"] >= seconds * (1 - 1e-4) and
          abs(row["ratio"] * row["bound"]["lp"] - row["makespan"]) <= 1e-6 * row["makespan"] and row["starpu"], f"{row}")


# Cholesky of 5 tiles, 35 tasks of 0.2 ms, under three policies, of StarPU and Orrery; twice the time by a bias it is not told.
make("chol.graph", "cholesky", "--size", "5", "--time", "potrf=200,trsm=200,syrk=200,gemm=200")
rows = real("chol.graph", "--cpus", "1,2", "--sched", "lws,dmdas,affine", "--repeat", "3")
check([(r["workers"]["cpu"], r["sched"]) for r in rows] == [(c, s) for c in (1, 2) for s in ("lws", "dmdas", "affine")], f"{rows}")
for r in rows:
    fits(r, 3, 35 * 0.2e-3)
    check(r["on"] == "real" and r["kernel"] == "spin" and r["tasks"] == 35 and r["truth"] is None, f"{r}")
for kernel in "spin", "sleep":
    rows = real("chol.graph", "--cpus", "3", "--sched", "dmda", "--repeat", "1", "--kernel", kernel, "--bias", "cpu=2", "--noise", "0.2", "--seeds", "1,2")
    check([r["truth"]["seed"] for r in rows] == [1, 2] and all(r["kernel"] == kernel for r in rows), f"{rows}")
    for r in rows:  # the area is that of the true times, spread over three
        fits(r, 1, 3 * r["bound"]["area"])
    check(len(rows) == 2 and rows[0]["bound"]["area"] != rows[1]["bound"]["area"], f"{rows}")

os.environ["STARPU_NCPU"] = "two"
code, out, err = replay("chol.graph", "--on", "real", "-q")
check(code == 2 and "STARPU_NCPU='two' of the environment is not an integer" in err, f"{code} {err}")
del os.environ["STARPU_NCPU"]

# All that a graph can say: explicit edges, backwards too, tasks that run nowhere, phases, pauses, all modes, parts of data, large
# data, data without bytes, more data than StarPU's own arrays hold.
many = "".join(f"data {k} 8\n" for k in range(6, 26))
with open("all.graph", "w") as f:
    f.write("orrery graph 2\nrecorded on hand cpu 2 cuda 1 opencl 0\ntasks 11\ndata 1 100000000000\ndata 2 0\ndata 3 8\ndata 4 8\ndata 5 64\n" + many +
            "task late priority=-3 cpu=300 after=3 1:RW\ntask other cpu=300 cuda=5 1:R 2:W\ntask early cpu=300 3:W\ntask join where=none after=1,2 2:R\n"
            "task sum cpu=100 after=4 4:X 5:S\ntask sum cpu=100 4:X 5:S:8\ntask both cpu=100 3:RWC 4:R\ntask both cpu=100 3:RWC\n"
            "task loose cpu=100 3:RWU 2:RU\npause 500\ntask last phase=1 cpu=100 after=9 3:RWL 2:R\n"
            "task wide phase=1 cpu=100 " + " ".join(f"{k}:RW" for k in range(6, 26)) + "\nend\n")
rows = real("all.graph", "--cpus", "2", "--sched", "lws,eager,prio", "--repeat", "4")
for r in rows:
    check(len(r["samples"]) == 4 and min(r["samples"]) >= r["bound"]["lp"] * (1 - 1e-6) and r["tasks"] == 11, f"{r}")
make("layered.graph", "layered", "--size", "8", "--depth", "30", "--degree", "3", "--time", "work=1")
for r in real("layered.graph", "--cpus", "4", "--sched", "lws,ws", "--repeat", "3"):
    fits(r, 3, 240e-6)
make("empty.graph", "independent", "--size", "1500", "--time", "work=1")  # more than are submitted ahead
fits(real("empty.graph", "--cpus", "2", "--repeat", "1")[0], 1, 1500e-6)

# Consistency that is switched off for one of the data of a task: it does not wait for the first, and the last does for it.
with open("partly.graph", "w") as f:
    f.write("orrery graph 2\nrecorded on hand cpu 1 cuda 0 opencl 0\ntasks 3\ndata 1 8\ndata 2 8\ntask first cpu=9000 1:W\n"
            "task middle cpu=300 1:RU 2:RW\ntask last cpu=300 2:R\nend\n")
for r in real("partly.graph", "--cpus", "3", "--sched", "lws,eager", "--repeat", "5", "--kernel", "sleep"):
    fits(r, 5, 9600e-6)
# There are no accelerators: what wants one runs on a CPU.
with open("wants.graph", "w") as f:
    f.write("orrery graph 2\nrecorded on hand cpu 1 cuda 1 opencl 0\ntasks 2\ntask a cpu=500 cuda=7 wants=accelerator\ntask b cpu=700 wants=cpu\nend\n")
fits(real("wants.graph", "--cpus", "1", "--repeat", "1")[0], 1, 1200e-6)

# Joules, by a counter that runs beside: of a run, or not known where it stands still.
make("long.graph", "independent", "--size", "3", "--time", "work=100000")
os.makedirs("powercap/intel-rapl:0")
for name, text in ("name", "package-0"), ("max_energy_range_uj", "1000000000000"):
    with open(f"powercap/intel-rapl:0/{name}", "w") as f:
        f.write(text + "\n")
burnt, enough = 0, threading.Event()


def burn():
    global burnt
    while not burnt or not enough.wait(0.01):
        burnt += 1
        with open("powercap/intel-rapl:0/new", "w") as f:
            f.write(f"{burnt * 1000000}\n")
        os.replace("powercap/intel-rapl:0/new", "powercap/intel-rapl:0/energy_uj")


os.environ["ORRERY_POWERCAP"] = os.path.abspath("powercap")
burner = threading.Thread(target=burn)
burner.start()
while not os.path.exists("powercap/intel-rapl:0/energy_uj"):
    time.sleep(0.01)
joules = None
while not joules:  # a thread that gets no processor burns nothing
    row = real("long.graph", "--cpus", "1", "--repeat", "2")[0]
    joules = row["cpu_joules"]
    check(row["energy_cpu"] == "RAPL: package-0" and (joules is None or 0 < joules <= burnt / 2), f"{burnt} J: {row}")
enough.set()
burner.join()
check(real("long.graph", "--cpus", "1", "--repeat", "1")[0]["cpu_joules"] is None, "a counter that stands still")
os.environ["ORRERY_POWERCAP"] = "/nowhere"
row = real("chol.graph", "--cpus", "1", "--repeat", "1")[0]
check(row["cpu_joules"] is None and row["energy_cpu"] == "/nowhere: No such file or directory", f"{row}")
del os.environ["ORRERY_POWERCAP"]

# The ready study of short tasks: a few of its runs.
done = subprocess.run([orrery, "study", "run", "bulge-grain", "-q", "--runs", "3"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
check(done.returncode in (0, 77), f"bulge-grain: {done.returncode} {done.stderr}")
if done.returncode == 0:
    with open("bulge-grain.study/results.jsonl") as f:
        rows = [json.loads(line) for line in f]
    check(len(rows) == 3 and all(r["status"] == "ok" and r["record"]["tasks"] == 1830 and r["value"] >= 1 - 1e-6 for r in rows), f"{rows}")
else:
    print("skipped:", done.stderr.strip())

# Twelve records, two of each case, with themselves.
for again in range(2):
    code, out, err = replay("chol.graph", "--on", "real", "--cpus", "1,2", "--sched", "lws,dmda,prio", "--repeat", "1", "-q", "--json", "r.jsonl")
code, out, err = call(orrery, "compare", "r.jsonl", "r.jsonl", "--json", "-", "-q")
cases = [json.loads(line) for line in out.splitlines()]
check(code == 0 and [(c["a"]["records"], c["paired"], c["ratio"]["median"]) for c in cases] == [(2, True, 1)] * 6 and
      all(c["a"]["command"].endswith("--json r.jsonl") for c in cases), f"compare: {code} {out}{err}")

code, out, err = replay("chol.graph", "--on", "real", "--repeat", "1")
check(code == 0 and len(out.splitlines()) == 3 and "under StarPU, here, nothing computed" in out and " lws " in out, out + err)

# What is refused.
with open("gpu.graph", "w") as f:
    f.write("orrery graph 2\nrecorded on hand cpu 1 cuda 1 opencl 0\ntasks 1\ntask a cuda=2\nend\n")
for words, wanted, message in ((("chol.graph", "--sched", "nosuch"), 2, "no scheduling policy has this name ('nosuch')"), (("chol.graph", "--sched", "lws,nosuch"), 2, "('nosuch')"), (("chol.graph", "--cpus", "1,0"), 77, "no worker can run task 1"), (("chol.graph", "--cpus", "4096"), 77, "CPU workers here, not 4096"),
                               (("chol.graph", "--cpus", "1,4096,2"), 77, "CPU workers here, not 4096"),
                               (("gpu.graph",), 77, "no worker can run task 1 (a)"), (("chol.graph", "--gpus", "1"), 2, "mean nothing with --on real"),
                               (("chol.graph", "--overhead", "1"), 2, "mean nothing with --on real"), (("chol.graph", "--cpus", "0"), 77, "no worker can run task 1"),
                               (("chol.graph", "--bias", "nosuch=2"), 2, "no task is called"), (("absent.graph",), 3, "absent.graph"), ((), 2, "a FILE.graph is needed")):
    code, out, err = replay(*words, "--on", "real", "-q", "--json", "-")
    check(code == wanted and message in err and not out, f"{words}: {code} {err}{out}")
for words in ("--repeat", "2"), ("--kernel", "spin"):
    code, out, err = replay("chol.graph", *words)
    check(code == 2 and "mean nothing with --on list" in err, f"{words}: {code} {err}")
for program, wanted, message in (os.path.abspath("absent"), 77, "there is no orrery-real"), ("/bin/true", 6, "it did not say what it did"), ("/bin/false", 1, ""):
    code, out, err = replay("chol.graph", "--on", "real", "-q", "--json", "-", ORRERY_REAL=program)
    check(code == wanted and message in err and not out, f"{program}: {code} {err}")
finish("real")
