"""orrery record: the graph of a program that knows nothing of Orrery; StarPU's packaged Cholesky.

    record.py ORRERY RECORD_TOOL

SPDX-License-Identifier: BSD-3-Clause"""
import glob, json, os, re, shlex, signal, subprocess, sys, time

from checks import call, check, empty_directory, finish

orrery, tool = map(os.path.abspath, sys.argv[1:3])
empty_directory()
os.environ.update(STARPU_NCPU="1", STARPU_NCUDA="0", STARPU_NOPENCL="0", STARPU_HOME=os.getcwd(), STARPU_SILENT="1")


def run(*words):
    return call(orrery, *words)


def tasks(path):
    with open(path) as f:
        return [line.split()[1:] for line in f if line.startswith("task ")]


code, out, err = run("record", "-o", "a.graph", "--json", "a.json", "--", tool, "graph")
check(code == 0 and "a.graph: 15 tasks, 8 data" in err, f"{code} {out}{err}")
if code == 0:
    t = tasks("a.graph")
    with open("a.graph") as f:
        text = f.read()
    key = [dict(w.split("=", 1) for w in words if "=" in w) for words in t]
    uses = [[w for w in words[1:] if "=" not in w] for words in t]
    check([words[0] for words in t] == ["record_tool"] * 4 + ["told"] * 3 + ["empty", "told"] + ["record_tool"] * 6,
          f"names: {t}")
    check(uses[:4] == [["1:W"], ["1:R", "2:RW"], ["1:R", "3:RW"], ["2:R", "3:RH"]], f"accesses: {uses[:4]}")
    check(key[4].get("after") == "6" and "after" not in key[5], "an edge to a task that is submitted later")
    check(key[6].get("after") == "8" and key[7].get("after") == "9" and key[7]["where"] == "none", "tags")
    check(uses[9:11] == [["4:WU"], ["4:WU"]], f"without an order: {uses[9:11]}")
    check(uses[11:] == [["5:RW"], ["6:RW"], ["7:RW"], ["8:RW"]], f"data of one address: {uses[11:]}")
    check(key[0]["priority"] == "2" and key[0]["model"] == "record_tool" and key[0]["where"] == "cpu" and
          all(float(k["cpu"]) > 0 for k in key if k["where"] == "cpu"), f"{key[0]}")
    check(key[0]["footprint"] == key[9]["footprint"] != key[11]["footprint"] == key[12]["footprint"], "footprints")
    # A phase begins where all that was submitted has ended: when the program waits, and when the machine lets it
    # wait for its turn.
    phase = [int(k.get("phase", 0)) for k in key]
    check(phase == sorted(phase) and phase[11] > phase[10] and "pause" in text, f"phases: {phase}")
    check("data 1 800\n" in text and "data 5 400\n" in text, "bytes")
    with open("a.json") as f:
        check(json.load(f) == {"recorded": "a.graph", "tasks": 15, "data": 8}, "--json")
    code, out, err = run("graph", "info", "a.graph", "-q", "--json", "-")
    check(code == 0 and json.loads(out)["edges"] == 7, f"edges: {out}{err}")

# For which devices a codelet is not asynchronous, though no task ran there.
code, out, err = run("record", "-o", "sync.graph", "--", tool, "sync")
said = [[w for w in words if w.startswith(("where=", "sync="))] for words in tasks("sync.graph")] if code == 0 else err
every = "where=cpu,cuda,opencl"
check(said == [[every], [every, "sync=cuda"], [every, "sync=cuda,opencl"], ["where=cpu"]], f"sync: {said}")
code, out, err = run("record", "-o", "old.graph", "--", tool, "old")
check(code == 0 and ["where=cpu" in words for words in tasks("old.graph")] == [True], f"old: {code} {err}")

# The program's own exit status; no graph without StarPU, or if StarPU is not ended.
check(run("record", "--", "sh", "-c", "kill -9 $$")[0] == 137, "a signal")
for words in (("true",), (tool, "early")):
    code, out, err = run("record", "--", *words)
    check(code == 6 and "no graph was written" in err and not glob.glob("run.graph*"), f"{words}: {code} {err}")
# A file that was there stays until there is a new one, and a link to it stays a link.
old = open("a.graph").read()
os.symlink("a.graph", "link.graph")
for name in ("a.graph", "link.graph"):
    for words, status in ((("sh", "-c", "exit 5"), 5), (("./absent",), 127), (("true",), 6)):
        code, out, err = run("record", "-o", name, "--", *words)
        check(code == status and f"{name} is as it was" in err and open(name).read() == old and
              not glob.glob("*.graph.*"), f"{name}, {words}: {code} {err} {os.listdir('.')}")
    with open("a.graph", "w") as f:
        f.write("old")
    code, out, err = run("record", "-o", name, "--", tool, "graph")
    check(code == 0 and len(tasks("a.graph")) == 15 and os.path.islink("link.graph") and not glob.glob("*.graph.*"),
          f"{name} is replaced: {code} {err} {os.listdir('.')}")
    old = open("a.graph").read()
# A signal to the command alone reaches the program, which decides what it means; the file that was there stays.
TELL = "import os, signal, sys; open('pid.new', 'w').write(str(os.getpid())); os.rename('pid.new', 'pid'); "
DECIDE = "import signal; s = [signal.SIGTERM, signal.SIGUSR1]; signal.pthread_sigmask(signal.SIG_BLOCK, s); " + TELL
for number, script, status in ((signal.SIGTERM, TELL + "signal.pause()", 143), (signal.SIGHUP, TELL + "signal.pause()", 129),
                               (signal.SIGTERM, DECIDE + "sys.exit(signal.sigwait(s))", 15),
                               (signal.SIGUSR1, DECIDE + "sys.exit(signal.sigwait(s))", 10)):
    recorder = subprocess.Popen([orrery, "record", "-o", "a.graph", "--", sys.executable, "-c", script],
                                stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not os.path.exists("pid"):
        time.sleep(0.01)
    program = int(open("pid").read())
    recorder.send_signal(number)
    try:
        _, err = recorder.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        err = "it went on"
    check(recorder.returncode == status and not os.path.exists(f"/proc/{program}") and "a.graph is as it was" in err and
          open("a.graph").read() == old and not glob.glob("*.graph.*"), f"{number!r}, {script}: {recorder.returncode} {err}")
    try:
        os.killpg(recorder.pid, signal.SIGKILL)  # what a failed check left
    except ProcessLookupError:
        pass
    os.remove("pid")
# What cannot be written, and one file for two, is told before the program runs.
for json_file, wanted in ("none/r.json", 3), ("a.graph", 2), ("./a.graph", 2):
    code, out, err = run("record", "-o", "a.graph", "--json", json_file, "--", "touch", "ran")
    check(code == wanted and ("none/r.json" if wanted == 3 else "same file") in err and not os.path.exists("ran") and open("a.graph").read() == old, f"--json {json_file}: {code} {err}")
# A graph that there is no room for.
code, out, err = call("sh", "-c", f'ulimit -f 1 && exec "$0" record -o a.graph -- "$1" graph', orrery, tool)
check(code == 3 and "cannot write" in err and "a.graph is as it was" in err and "starpu_shutdown" not in err and
      open("a.graph").read() == old and not glob.glob("*.graph.*"), f"no room: {code} {err} {os.listdir('.')}")
# Signals to the command go to the program, which decides; if the command is killed it ends, too.
for name, code in ("INT", 7), ("TERM", 7), ("HUP", 7), ("QUIT", 7), ("USR1", 7), ("KILL", -9):
    with subprocess.Popen([orrery, "record", "-o", "a.graph", "--", "sh", "-c", "trap 'echo asked; exit 7' INT TERM HUP QUIT USR1; echo $$; for k in $(seq 100); do sleep 0.1; done"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as p:
        program = int(p.stdout.readline())
        p.send_signal(getattr(signal, f"SIG{name}"))
        told = p.stdout.read()
        check(p.wait() == code and told == "asked\n" and (name == "KILL" or not os.path.exists(f"/proc/{program}")), f"SIG{name}: {p.returncode} {told}")
    if name == "KILL":  # nobody is left to put it back
        os.rename(glob.glob("a.graph.orr-old-*")[0], "a.graph")
    check(open("a.graph").read() == old and not glob.glob("*.graph.*"), f"SIG{name}: {os.listdir('.')}")
# A signal that comes when the old graph has just been set aside, and a variable for which there is no memory.
faults = dict(LD_PRELOAD=os.environ["FAULTS"], ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
code, out, err = call(orrery, "record", "-o", "a.graph", "--", "sleep", "60", FAULT_RENAME=str(int(signal.SIGTERM)), **faults)
check(code == 143 and open("a.graph").read() == old and not glob.glob("*.graph.*"), f"SIGTERM at once: {code} {err} {os.listdir('.')}")
for name in "LD_PRELOAD", "ORRERY_RECORD", "ORRERY_RECORD_NOTE", "STARPU_PROFILING":
    code, out, err = call(orrery, "record", "-o", "a.graph", "--", "touch", "ran", FAULT_SETENV=name, **faults)
    check(code == 126 and "touch: Cannot allocate memory" in err and not os.path.exists("ran") and open("a.graph").read() == old, f"no {name}: {code} {err}")
# A graph is told also of a program that fails, and what of a second start is not in it.
code, out, err = run("record", "-o", "again.graph", "--", tool, "again")
check(code == 9 and "starts StarPU again" in err and "again.graph: 2 tasks, 0 data" in err and len(tasks("again.graph")) == 2, f"again: {code} {err}")
check(run("record", "--", "./absent")[0] == 127 and run("record", "--", "sh", "-c", "exit 42")[0] == 42, "other codes")
# The command may choose kernels for its own BLAS; the program has the variables of who called.
for was in (None, "Haswell"):
    os.environ.pop("OPENBLAS_CORETYPE", None)
    os.environ.update({"OPENBLAS_CORETYPE": was} if was else {})
    seen = run("record", "--", "sh", "-c", "echo ${OPENBLAS_CORETYPE-none}")[1]
    check(seen == f"{was or 'none'}\n", f"OPENBLAS_CORETYPE {was}: the program sees {seen}")
os.environ.pop("OPENBLAS_CORETYPE", None)
check(run("record")[0] == 2 and run("record", "-o", "none/x.graph", "--", tool, "graph")[0] == 3, "refusals")
quoted = shlex.quote(tool)
check(run("record", "-q", "--", "sh", "-c", f"{quoted} graph & {quoted} graph; wait")[0] == 0 and
      len(tasks("run.graph")) == 15 and len(glob.glob("run.graph.*")) == 1, f"two processes: {os.listdir('.')}")

# A library in a place whose name LD_PRELOAD cannot hold.
library = [p for p in (os.path.join(os.path.dirname(os.path.realpath(orrery)), "orrery_record.so"), os.environ.get("ORRERY_RECORD_LIBRARY")) if p and os.path.exists(p)][0]
os.mkdir("with a: blank")
os.symlink(library, "with a: blank/orrery_record.so")
os.environ["TMPDIR"] = os.getcwd()
os.environ["ORRERY_RECORD_LIBRARY"] = os.path.abspath("with a: blank/orrery_record.so")
code, out, err = run("record", "-o", "b.graph", "--", tool, "graph")
check(code == 0 and len(tasks("b.graph")) == 15 and not glob.glob("orrery-record*"), f"a path with a blank: {code} {err} {os.listdir('.')}")
os.environ["ORRERY_RECORD_LIBRARY"] = os.path.abspath("with a: nothing/orrery_record.so")
check(run("record", "--", tool, "graph")[0] == 77, "without the library")
del os.environ["TMPDIR"]
del os.environ["ORRERY_RECORD_LIBRARY"]

# StarPU's own example, if it is installed.
packaged = glob.glob("/usr/lib/*/starpu/examples/cholesky_implicit")
starpu_of = lambda path: re.findall(r"libstarpu-[\d.]*\d", subprocess.run(["ldd", path], capture_output=True, text=True).stdout)[:1]
if packaged and starpu_of(packaged[0]) == starpu_of(tool):
    code, out, err = run("record", "-o", "c.graph", "--", packaged[0], "-size", "480", "-nblocks", "8")
    names = [words[0] for words in tasks("c.graph")] if code == 0 else []
    kinds = {"chol_model_11": 0, "chol_model_21": 1, "chol_model_22": 2, "POTRF": 0, "TRSM": 1, "SYRK": 2, "GEMM": 2}  # of StarPU 1.3; 1.4
    count = [sum(kinds.get(n) == k for n in names) for k in range(3)]
    check(len(names) == 120 and count == [8, 28, 84], f"{code} {err} {count}")
else:
    print("skipped: cholesky_implicit of starpu-examples is not installed")
finish("record")
