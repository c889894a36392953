"""orrery graph: graphs of both versions, files that are refused, imports by hand and of foreign traces.

    graph.py ORRERY [SHARED_DATA]

SPDX-License-Identifier: BSD-3-Clause"""
import gzip, json, os, subprocess, sys

from checks import call, check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
traces = os.path.join(sys.argv[2], "traces") if len(sys.argv) > 2 else ""
empty_directory()


def graph(*words):
    return call(orrery, "graph", *words)


def write(name, text):
    with open(name, "wb") as f:
        f.write(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


def info(*words):
    code, out, err = graph("info", *words, "-q", "--json", "-")
    check(code == 0, f"info {words}: {code}, {err}")
    return json.loads(out) if code == 0 else {}


def near(x, y):
    return x is not None and abs(x - y) <= 1e-9 * abs(y)


def refused(name, text, message, *words):
    write(name, text)
    code, out, err = graph(*(words or ("info",)), name)
    check(code == 3 and message in err and not out, f"{name}: '{message}' was expected: {code}, {err}{out}")


# A diamond by hand: 1 writes, 2 and 3 read it and write their own, 4 reads both; 5 waits by an explicit edge.
ONE = """orrery graph 1
recorded on here cpu 2 cuda 0 opencl 0
tasks 4
task a a_d 1f 0 3 0 0 1 cpu 1000.000 1 7:2:80
task b b_d 2f 0 0 0 0 0 cpu 2000.000 2 7:1:80 9:3:8
task b b_d 2f 0 0 0 0 0 cpu 4000.000 2 7:1:80 8:3:8
task c - 0 0 0 0 0 0 cpu 1000.000 2 8:1:8 9:1:8
end
"""
TWO = """orrery graph 2
recorded on here cpu 2 cuda 1 opencl 0
tasks 5
data 1 80
data 2 8
data 3 8
task a model=a_d footprint=1f priority=3 where=cpu,cuda ran=cpu worker=0 rank=0 node=0 submit=0 ready=1 start=2 end=1002 flops=1e6 joules=0.5 cpu=1000 1:W
task b model=b_d footprint=2f cpu=2000 1:R 3:RW
task b model=b_d footprint=2f cpu=4000 1:R 2:RWC
task c cpu=1000 cuda=100 2:R:4 3:R
task join where=none after=4,1
end
"""
write("one.graph", ONE)
write("two.graph", TWO)
one, two = info("one.graph"), info("two.graph", "--gpus", "0")
check(near(one["bound"]["area"], 4e-3) and near(one["bound"]["critical_path"], 6e-3) and one["edges"] == 4, f"{one}")
check(near(two["bound"]["area"], 4e-3) and near(two["bound"]["critical_path"], 6e-3), f"{two}")
check(two["edges"] == 6 and two["tasks"] == 5 and two["data"] == 3 and near(two["recorded"], 1e-3), f"{two}")
check({(r["name"], r["kind"], r["tasks"]) for r in two["codelets"]} ==
      {("a", "cpu", 1), ("b", "cpu", 2), ("c", "cpu", 1), ("c", "cuda", 1), ("join", "none", 1)}, f"{two}")
check(near(info("two.graph")["bound"]["critical_path"], 5.1e-3), "the fastest kind of each task")
check(near(info("one.graph", "--cpus", "4")["bound"]["area"], 2e-3), "--cpus")
code, out, err = graph("info", "one.graph", "--cpus", "0", "--gpus", "1")
check(code == 0 and "no worker of these kinds can run task 1" in err and "area" not in out, f"no worker: {err}")
check("b                        cpu                2        6.000     3000.000" in graph("info", "one.graph")[1], "table")

# An edge from a later task puts it before; a cycle is named.
write("later.graph", TWO.replace("footprint=2f cpu=2000", "footprint=2f cpu=2000 after=3"))
later = info("later.graph", "--gpus", "0")
check(later["edges"] == 7 and near(later["bound"]["critical_path"], 8e-3), f"an edge from a later task: {later}")
refused("cycle.graph", TWO.replace("footprint=2f cpu=2000", "footprint=2f cpu=2000 after=4"),
        "cycle.graph: a cycle of 2 tasks: task 2 (b, line 8) waits for task 4 (c, line 10), which waits for it")
refused("self.graph", TWO.replace("after=4,1", "after=5"), "task 5 (join, line 11) waits for itself")
refused("phase.graph", TWO.replace("task c cpu", "task c phase=1 cpu").replace("task join", "task join phase=1")
        .replace("footprint=2f cpu=4000", "footprint=2f cpu=4000 after=4"), "phase.graph:9: the task waits for one of a later")

# Tasks that are not asynchronous are counted by codelet and kind, also where they did not run.
check(two["sync"] == [] and "asynchronous" not in graph("info", "two.graph")[1], f"none is synchronous: {two}")
write("sync.graph", TWO.replace("where=cpu,cuda", "where=cpu,cuda,opencl sync=opencl,cuda").replace("cuda=100", "cuda=100 sync=cuda"))
check(info("sync.graph")["sync"] == [{"name": n, "kind": k, "tasks": 1} for n, k in (("a", "cuda"), ("a", "opencl"), ("c", "cuda"))], "sync")
check("\nc                        cuda               1  not asynchronous\n" in graph("info", "sync.graph")[1], "the table")
# Many codelets, on two kinds of workers and nowhere: a row each.
write("names.graph", "orrery graph 2\nrecorded on h cpu 1 cuda 1 opencl 0\ntasks 600\n" + "".join(
    f"task c{k} {'where=none' if k % 3 == 2 else f'cpu={k + 1} cuda={2 * k + 1}' if k % 3 else f'cpu={k + 1}'}\n" for k in 2 * list(range(300))) + "end\n")
rows = {(r["name"], r["kind"]): (r["tasks"], round(1e6 * r["total"])) for r in info("names.graph")["codelets"]}
check(rows == {(f"c{k}", kind): (2, us) for k in range(300) for kind, us in
               ((("none", 0),) if k % 3 == 2 else (("cpu", 2 * k + 2), ("cuda", 4 * k + 2))[:1 + k % 3])}, f"{rows}")
# What a terminal would obey is not printed.
write("host.graph", TWO.replace("recorded on ", "recorded on \x1b[2J\x07", 1))
code, out, err = graph("info", "host.graph")
check(code == 0 and "recorded on __" not in out and "recorded on _[2J_" in out and "\x1b" not in out + err, f"{code} {out!r} {err}")

# What is refused, with its line.
lines = TWO.splitlines(keepends=True)
for n in range(len(lines)):
    refused("cut.graph", "".join(lines[:n]), f"cut.graph:{n + 1}: the file ends too early")
refused("cut.graph", TWO[:-30], "cut.graph:11: the file ends in the middle of a line")
for old, new, message in (
        ("orrery graph 2", "orrery graph 3", ":1: a graph of another version"),
        ("orrery graph 2", "hello", ":1: not a graph"),
        ("orrery graph 2", "orrery graph 2x", ":1: a graph of another version"),
        ("cpu 2 cuda 1", "cpu two", ":2: expected: recorded on"), ("cpu 2 cuda 1", "cpu 4294967298 cuda 1", ":2: expected: recorded on"),
        ("cuda 1 opencl 0", "cuda 1", ":2: expected: recorded on"), ("opencl 0", "opencl 0 tpu 1", ":2: expected: recorded on"),
        ("tasks 5", "tasks 5x", ":3: expected: tasks N"), ("tasks 5", "tasks -5", ":3: expected: tasks N"),
        ("cpu=4000", "cpu=4000 cpu=5", ":9: 'cpu' is there twice"), ("cpu=4000", "cpu=0x4000", ":9: cpu: '0x4000' is not a time"),
        ("footprint=1f", "footprint=-1", ":7: footprint"), ("footprint=1f", "footprint=11112222333344445", ":7: footprint"),
        ("tasks 5", "tasks 4", ":11: expected: end"), ("tasks 5", "tasks 6", "the end after 5 of 6 tasks"),
        ("tasks 5", "tasks 99999", "too short"), ("data 2 8", "data 3 8", ":5: data 2 were expected"),
        ("data 3 8", "data 3 eight", ":6: expected: data NUMBER BYTES"),
        ("3:RW\n", "4:RW\n", ":8: data 4 are used, but no line before declares them"),
        ("3:RW\n", "3:WR0\n", ":8: '3:WR0' is not DATA:MODE"), ("3:RW\n", "3:C\n", ":8: '3:C' is not DATA:MODE"),
        ("3:RW\n", "3:RW:x\n", ":8: 'x' are not bytes"), ("after=4,1", "after=9", ":11: after: '9'"),
        ("after=4,1", "after=4,", ":11: after: ''"), ("cpu=4000", "cpu=0", ":9: cpu: a time of zero"),
        ("cpu=4000", "cpu=nan", ":9: cpu: a time of 'nan'"), ("cpu=4000", "cpu=inf", ":9: cpu: a time of 'inf'"),
        ("cpu=4000", "cpu=-4", ":9: cpu: a time of less than zero"), ("cpu=4000", "cpu=4s", ":9: cpu: '4s' is not a time"),
        ("cpu=4000", "gpu=4000", ":9: unknown key 'gpu'"), ("cpu=4000", "", ":9: no time on any kind"),
        ("cpu=4000", "cpu=4000 wants=gpu", ":9: wants: 'gpu' is neither cpu nor accelerator"), ("cpu=4000", "cpu=4000 wants=", ":9: wants: ''"),
        ("cpu=4000", "cpu=4000 wants=cpu,accelerator", ":9: wants: 'cpu,accelerator'"), ("cpu=4000", "cpu=4000 wants", ":9: 'wants' is not DATA:MODE"),
        ("where=cpu,cuda", "where=cpu,cuda sync=cpu", ":7: sync: 'cpu' is no kind of accelerator"), ("cuda=100", "cuda=100 sync=", ":10: sync: '' is no kind"),
        ("cuda=100", "cuda=100 sync=cuda,gpu", ":10: sync: 'gpu' is no kind of accelerator"), ("cuda=100", "cuda=100 sync=none", ":10: sync: 'none' is no"),
        ("cuda=100", "cuda=100 sync=opencl", ":10: sync: the task cannot run on opencl"), ("cpu=4000", "cpu=4000 sync=cuda", ":9: sync: the task cannot run on cuda"),
        ("cuda=100", "cuda=100 sync=cuda sync=cuda", ":10: 'sync' is there twice"), ("where=none", "where=none sync=cuda", ":11: sync: the task cannot run on cuda"),
        ("where=none", "where=gpu", ":11: where: 'gpu' is no kind"), ("where=none", "", ":11: no time on any kind"),
        ("where=cpu,cuda", "where=cuda", ":7: a time on cpu, where the task cannot run"),
        ("ran=cpu", "ran=cuda", ":7: it ran on cuda and has no time there"),
        ("end=1002", "end=1", ":7: it ends before it starts"), ("end=1002", "end=nan", ":7: end: 'nan'"),
        ("worker=0", "worker=-1", ":7: worker: '-1'"), ("task c", "task c phase=2147483647", ":10: phase: '2147483647'"), ("footprint=1f", "footprint=xy", ":7: footprint"),
        ("task c cpu", "pause 1\ntask c phase=-1 cpu", ":11: phase: '-1'"), ("task c cpu", "pause x\ntask c cpu", ":10: expected: pause")):
    refused("bad.graph", TWO.replace(old, new, 1), message)
for old, new, message in (
        ("1000.000 1 7:2:80", "0.000 1 7:2:80", ":4: cpu: a time of zero"), ("cpu 4000.000", "cpu nan", ":6: cpu: a time of 'nan'"),
        ("cpu 4000.000", "cpu -1", ":6: cpu: a time of less"), ("9:3:8", "9:3", ":5: expected DATA:MODE:BYTES"),
        ("b_d 2f 0 0", "b_d 2f 1 0", ":6: phase 0 follows phase 1")):
    refused("bad.graph", ONE.replace(old, new, 1), message)
write("dos.graph", TWO.replace("\n", "\r\n"))
write("unix.graph", TWO)
check({**info("dos.graph"), "graph": 0} == {**info("unix.graph"), "graph": 0}, "lines that end with CR LF")
check(graph("info", "none.graph")[0] == 3 and "none.graph: cannot open: No such file" in graph("info", "none.graph")[2], "no such file")

# Compressed: the same; what is damaged or cut is refused wherever it is.
packed = gzip.compress(TWO.encode() + b"what follows the end does not count\n", mtime=0)
write("two.graph", TWO)
with open("packed.graph.gz", "wb") as f:
    f.write(packed)
check({**info("packed.graph.gz"), "graph": 0} == {**info("two.graph"), "graph": 0}, "a compressed graph")
for at in [*range(10, len(packed) - 8, 12), *range(len(packed) - 8, len(packed))]:  # 10 bytes of head, 8 of sums
    for bad in packed[:at], packed[:at] + bytes([packed[at] ^ 0x40]) + packed[at + 1:]:
        with open("damaged.graph.gz", "wb") as f:
            f.write(bad)
        code, out, err = graph("info", "damaged.graph.gz")
        check(code == 3 and "damaged.graph.gz:" in err and not out, f"byte {at} of {len(packed)}: {code} {err}")

# What orrery itself records, and that it is the same graph: bounds are those of the run.
done = subprocess.run([orrery, "hb2st", "--n", "200", "--band", "8", "--cpus", "1", "--repeat", "1", "--trace", "run.graph",
                       "--json", "run.json", "-q"], capture_output=True, text=True)
check(done.returncode == 0, done.stderr)
with open("run.json") as f:
    run = json.load(f)
own = info("run.graph")
check(own["tasks"] == run["tasks"] and own["recorded"] > 0 and own["codelets"][0]["kind"] == "cpu", f"{own}")

# StarPU's tasks.rec: a ghost between two tasks, a job without times, accesses.
REC = """Name: first
Model: first_d
JobId: 1
SubmitOrder: 1
Priority: 2
Tag: 0
WorkerId: 0
MemoryNode: 0
SubmitTime: 0.5
StartTime: 1.000000
EndTime: 3.000000
Footprint: 1f
GFlop: 0.001
Handles: aa bb
Modes: RW S
Sizes: 800 16
MPIRank: -1

Name: _starpu_sync_task
JobId: 2
DependsOn: 1
DepLabels: task
MPIRank: -1

Control: WontUse
JobId: 9
Handles: aa

Name: second
JobId: 3
SubmitOrder: 3
DependsOn: 2
WorkerId: 1
MemoryNode: 1
StartTime: 4.000000
EndTime: 4.500000
Footprint: 0
Handles: cc
Modes: W
Sizes: 8
MPIRank: -1

Name: third
JobId: 4
SubmitOrder: 4
DependsOn: 1
WorkerId: 0
MemoryNode: 0
StartTime: 4.000000
EndTime: 5.000000
Footprint: 0
Handles: aa
Modes: R
Sizes: 800
MPIRank: -1
"""
write("tasks.rec", REC)
code, out, err = graph("import", "tasks.rec", "-o", "rec.graph", "--json", "-")
check(code == 0 and json.loads(out) == {"format": "starpu", "tasks": 3, "data": 3, "edges": 2, "implied": 1, "explicit": 1},
      f"tasks.rec: {out}{err}")
with open("rec.graph") as f:
    text = f.read()
for line in ("recorded on imported cpu 1 cuda 1 opencl 0", "data 1 800", "priority=2 where=cpu ran=cpu", "1:RW 2:S", "flops=1000000",
             "task second where=cuda ran=cuda worker=1", "cuda=500.000 after=1 3:W", "submit=500.000 start=1000.000 end=3000.000"):
    check(line in text, f"'{line}' is not in {text}")
rec = info("rec.graph")
check(near(rec["bound"]["critical_path"], 3e-3) and near(rec["recorded"], 4e-3), f"{rec}")
check(graph("import", "tasks.rec")[1] == text, "standard output")
code, out, err = graph("import", "tasks.rec", "--time", "third=4000,second=100:50", "-o", "timed.graph")
check(near(info("timed.graph")["bound"]["critical_path"], 6e-3) and info("timed.graph")["tasks"] == 3, "--time")
code, out, err = graph("import", "tasks.rec", "--time", "third=4000:9", "--sync", "second,third", "-o", "synced.graph")
check([(r["name"], r["kind"]) for r in info("synced.graph")["sync"]] == [("second", "cuda"), ("third", "cuda")], f"--sync: {err}")
for word, message in ("fourth", "--sync: no task is called 'fourth'"), ("second,first", "--sync: 'first' runs on no accelerator"):
    code, out, err = graph("import", "tasks.rec", "--sync", word, "-o", "never.graph")
    check(code == 2 and message in err and not os.path.exists("never.graph"), f"--sync {word}: {err}")
for word, message in ("none=5", "no task is called 'none'"), ("third=0", "third=0"), ("third", "CODELET=US"), ("third=nan", "above zero"):
    code, out, err = graph("import", "tasks.rec", "--time", word, "-o", "never.graph")
    check(code == 2 and message in err and not os.path.exists("never.graph"), f"--time {word}: {err}")
for old, new, message in (("EndTime: 3.0", "EndTime: 1.0", ":1: a task that takes no time: '1'"),
                          ("EndTime: 3.0", "EndTime: 0.5", "ends before it starts"), ("EndTime: 3.0", "EndTime: nan", ":1: EndTime: 'nan"),
                          ("Modes: RW S", "Modes: RW", "no mode for a handle"), ("Modes: RW S", "Modes: RW S R", "a mode without a handle"),
                          ("Modes: RW S", "Modes: RW Q", "no mode for a handle: 'Q'"), ("Sizes: 800 16", "Sizes: 800", "no size"),
                          ("JobId: 4", "JobId: 1", "a second task with this JobId"), ("JobId: 3\n", "", "without JobId"),
                          ("JobId: 4", "JobId 4", "expected: KEY: VALUE"), ("Footprint: 1f", "Footprint: zz", "Footprint: 'zz'")):
    refused("bad.rec", REC.replace(old, new, 1), message, "import")
refused("bad.rec", REC.replace("JobId: 1\n", "JobId: 1\nDependsOn: 4\n"), "a cycle of 2 tasks", "import")
refused("bad.rec", "Name: x\nJobId: 1\n", "no task has a name, StartTime and EndTime", "import")

# StarVZ's tables, compressed, with quotes; dag.csv takes the place of DependsOn.
CSV = '''Name,JobId,SubmitOrder,StartTime,EndTime,MPIRank,Handles,Modes,Sizes,Footprint
"one, quoted ""so""",0_1,1,0.0,1.0,0,aa bb,W W,,1
two,1_1,2,1.0,3.0,1,aa,RW,,2
three,0_2,3,1.0,2.0,0,aa,R,,NA
'''
write("rec.tasks.csv.gz", CSV)
write("dag.csv.gz", "Dependent,JobId\n0_1,0_2\n0_1,1_1\n0_1,1_1\n")
write("rec.data_handles.csv", "Handle,HomeNode,MPIRank,Size\naa,0,0,64\nbb,0,0,32\naa,0,1,16\n")
code, out, err = graph("import", "rec.data_handles.csv", "dag.csv.gz", "rec.tasks.csv.gz", "-o", "vz.graph", "--json", "-")
check(code == 0 and json.loads(out) == {"format": "starpu", "tasks": 3, "data": 3, "edges": 2, "implied": 1, "explicit": 1},
      f"CSV: {out}{err}")
with open("vz.graph") as f:
    text = f.read()
for line in ("data 1 64\ndata 2 32\ndata 3 16\n", "task one,_quoted_\"so\"", "task two footprint=2 where=cpu ran=cpu rank=1", "after=1 3:RW"):
    check(line in text, f"'{line}' is not in {text}")
check(info("vz.graph")["tasks"] == 3, "a graph with ranks is read")
refused("other.csv", "Dependent,JobId\n9_1,9_2\n9_1,9_3\n", "other.csv: none of its jobs is a task of rec.tasks.csv.gz", "import", "rec.tasks.csv.gz")
refused("bad.csv", CSV.replace("two,1_1", "two"), "bad.csv:3: 9 columns, but the head has 10", "import")
refused("bad.csv", CSV[:-1], "bad.csv:4: the file ends in the middle of a line", "import")
refused("bad.csv", CSV.replace('so""",', "so,", 1), "a quote that does not end", "import")
refused("bad.csv", "a,b\n1,2\n", "bad.csv:1: neither rec.tasks", "import")
refused("bad.csv", "Nature,ResourceId\n", "a table of Paje has no accesses", "import")
refused("paje.trace", "%EventDef PajeDefineContainerType 1\n", "Paje has no accesses", "import")
refused("empty.csv", "", "the file is empty", "import")
with open("rec.tasks.csv.gz", "rb") as f:
    whole = f.read()
with open("cut.csv.gz", "wb") as f:
    f.write(whole[:-20])
check(graph("import", "cut.csv.gz")[0] == 3 and "cut.csv.gz" in graph("import", "cut.csv.gz")[2], "a compressed file that is cut")

# WfFormat: 1.5, and 1.4 with everything in one place; parents after their children in the file.
NEW = {"name": "w", "schemaVersion": "1.5", "workflow": {
    "specification": {
        "tasks": [{"name": "merge_0003", "id": "m", "parents": ["s1", "s2"], "children": [], "inputFiles": ["p"], "outputFiles": []},
                  {"name": "split_0001", "id": "s1", "parents": [], "children": ["m"], "inputFiles": [], "outputFiles": ["p"]},
                  {"name": "split_0002", "id": "s2", "parents": [], "children": ["m"]}],
        "files": [{"id": "p", "sizeInBytes": 1000}]},
    "execution": {"tasks": [{"id": "m", "runtimeInSeconds": 2.5}, {"id": "s1", "runtimeInSeconds": 1}, {"id": "s2", "runtimeInSeconds": 4}]}}}
OLD = {"workflow": {"tasks": [
    {"name": "a_1", "runtime": 1, "parents": [], "files": [{"link": "output", "name": "f", "size": 10}]},
    {"name": "a_2", "runtime": 2, "parents": ["a_1"], "files": [{"link": "input", "name": "f", "size": 10}]}]}}
write("new.json", json.dumps(NEW))
write("old.json.gz", json.dumps(OLD))
code, out, err = graph("import", "new.json", "-o", "new.graph", "--json", "-")
check(code == 0 and json.loads(out) == {"format": "wfformat", "tasks": 3, "data": 1, "edges": 2, "implied": 1, "explicit": 1},
      f"WfFormat 1.5: {out}{err}")
new = info("new.graph", "--cpus", "2")
check(near(new["bound"]["critical_path"], 6.5) and near(new["bound"]["area"], 3.75) and
      [(r["name"], r["tasks"]) for r in new["codelets"]] == [("split", 2), ("merge", 1)], f"{new}")
code, out, err = graph("import", "old.json.gz", "-o", "old.graph", "--json", "-")
check(code == 0 and json.loads(out)["implied"] == 1 and near(info("old.graph")["bound"]["critical_path"], 3), f"WfFormat 1.4: {out}{err}")
for change, message in ((lambda w: w["execution"]["tasks"][0].update(runtimeInSeconds=0), "task 'm': a runtime of zero"),
                        (lambda w: w["execution"]["tasks"].pop(), "task 's2': it has no runtime"),
                        (lambda w: w["specification"]["tasks"][1].update(parents=["m"]), "a cycle"),
                        (lambda w: w["specification"]["tasks"][1].update(parents=["x"]), "task 's1': a parent that is no task"),
                        (lambda w: w["specification"]["tasks"][1].update(id="m"), "a second task of this id"),
                        (lambda w: w.pop("specification"), "not a WfFormat file")):
    bad = json.loads(json.dumps(NEW))
    change(bad["workflow"])
    refused("bad.json", json.dumps(bad), message, "import")
refused("bad.json", "{\n\"workflow\": {\n", "bad.json:3:", "import")

# A directory, and a file that cannot be read: the reason, not that the file is short. gzip's last bytes count.
for bad, reason in (".", "Is a directory"), ("/proc/self/mem", "Input/output error"):
    for action in "info", "import":
        code, out, err = graph(action, bad)
        check(code == 3 and f"cannot be read: {reason}" in err and not out, f"{action} {bad}: {code} {err}{out}")
for name, action in ("old.json.gz", "import"), ("tasks.rec.gz", "import"), ("one.graph.gz", "info"):
    if name not in os.listdir():
        write(name, open(name[:-3]).read())
    packed = open(name, "rb").read()
    with open("cut.gz", "wb") as f:
        f.write(packed[:-4])
    code, out, err = graph(action, "cut.gz")
    check(code == 3 and "compressed file" in err and not out, f"{name} without its end: {code} {err}{out}")

# A name with a line feed and an escape is one line wherever it is told.
for action in ("graph", "info"), ("replay", "--cpus", "1"):
    name = "two\n\033lines.graph"
    write(name, TWO)
    code, out, err = call(orrery, *action, name)
    check(code == 0 and out.startswith("two??lines.graph: 5 tasks") and "\033" not in out, f"{action}: {code} {out}{err}")
    write(name, TWO[:-4])
    code, out, err = call(orrery, *action, name)
    check(code == 3 and err.startswith("orrery: two??lines.graph:") and "\033" not in err, f"{action}: {code} {out}{err}")

# A graph of Orrery's own: the same bytes, or times that the recording did not know. :US adds one on GPUs, and what ran stays known.
OWN = """orrery graph 2
recorded on here cpu 1 cuda 0 opencl 0
tasks 4
data 1 80
task a model=a_d footprint=1f where=cpu ran=cpu worker=0 node=0 submit=0.000 ready=1.000 start=2.000 end=1002.000 cpu=1000.000 1:W
task b where=cpu cpu=2000.000 1:R
task b where=cpu cpu=4000.000 1:R
task c where=cpu cpu=10.000 after=3
end
"""
write("own.graph", OWN)
code, out, err = graph("import", "own.graph", "--json", "own.json", "-q")
check(code == 0 and out == OWN and json.load(open("own.json")) == {"format": "orrery graph", "tasks": 4, "data": 1, "edges": 3, "implied": 2, "explicit": 1}, f"{code} {out}{err}")
code, out, err = graph("import", "own.graph", "--time", "b=:500,c=20:5", "-o", "gpu.graph")
given = info("gpu.graph", "--cpus", "1", "--gpus", "1")
check(code == 0 and near(given["bound"]["critical_path"], 1.505e-3) and near(info("gpu.graph", "--gpus", "0")["bound"]["area"], 7.02e-3)
      and near(given["recorded"], 1e-3), f"{err} {given}")
check(graph("import", "own.graph", "--time", "b=:0")[0] == 2 and graph("import", "own.graph", "--time", "b=:")[0] == 2 and graph("import", "own.graph", "--time", "d=:1")[0] == 2
      and graph("import", "own.graph", "gpu.graph")[0] == 2, "times that make no sense")
refused("cut.graph", OWN[:-4], "cut.graph:9: the file ends too early", "import")

# Two tasks that share several data have one edge, whoever counts: the record of a run, its graph, an import.
code, out, err = call(orrery, "gb2bd", "--n", "600", "--band", "32", "--cpus", "1", "--rows", "192", "--sweeps", "6", "--repeat", "1", "-q", "--json", "run.jsonl", "--trace", "run.graph")
record = json.load(open("run.jsonl"))
code, out, err = graph("import", "run.graph", "-o", "again.graph", "--json", "again.json", "-q")
again, shown = json.load(open("again.json")), info("run.graph")
check(code == 0 and again["tasks"] > 50 and again["edges"] == again["implied"] == shown["edges"] == record["trace"]["edges"] and again["explicit"] == 0,
      f"edges: {again} {shown['edges']} {record['trace']}")
check(again["tasks"] == shown["tasks"] == record["trace"]["tasks"] and all(near(shown["bound"][k], record["bound"][k]) for k in ("area", "critical_path", "lp")),
      f"bounds: {shown} {record['bound']}")

code, out, err = graph("info", "own.graph", "--cpus", "0")
check(code == 0 and "no workers, so there are no bounds; --cpus N and --gpus N say how many" in err, f"{code} {out}{err}")
refused("other.graph", "{}\n", "(orrery graph import reads some others)")

# The command line.
for words in ((), ("nothing",), ("info",), ("import",), ("info", "one.graph", "-o", "x"), ("import", "tasks.rec", "--cpus", "2"),
              ("import", "new.json", "tasks.rec"), ("import", "dag.csv.gz"), ("import", "tasks.rec", "-o", "tasks.rec")):
    check(graph(*words)[0] == 2, f"{words}: {graph(*words)}")
# No file is an input and an output, or two outputs, under whatever names; nothing is written, not to standard output either.
os.symlink("x.graph", "link")
held = open("tasks.rec").read()
for words in (("make", "chain", "-o", "x.graph", "--json", "x.graph"), ("make", "chain", "-o", "x.graph", "--json", "link"),
              ("make", "chain", "--json", "-"), ("import", "tasks.rec", "-o", "x.graph", "--json", "tasks.rec"),
              ("import", "tasks.rec", "-o", "x.graph", "--json", "./x.graph"), ("import", "tasks.rec", "--json", "-")):
    code, out, err = graph(*words)
    check(code == 2 and not out and not os.path.exists("x.graph") and open("tasks.rec").read() == held, f"{words}: {code} {out}{err}")
# A graph does not get the name of a picture, of records, or of a compressed file.
for name in "x.html", "x.svg", "x.json", "x.csv", "x.paje", "x.DOT", "x.npy", "x.mtx", "x.graph.gz":
    for words in ("make", "chain"), ("import", "tasks.rec"):
        code, out, err = graph(*words, "-o", name)
        check(code == 2 and "should end in .graph" in err and not os.path.exists(name), f"{words} -o {name}: {code} {err}")
check("did you mean 'info'" in graph("inf")[2], "a word that is nearly right")

# Foreign traces: StarVZ's qr_mumps, and its LU of two ranks. With the longest recorded time of dgemm for all of
# its tasks the figures are those that are known of this trace.
if os.path.isdir(traces):
    at = lambda name: os.path.join(traces, name)
    code, out, err = graph("import", *map(at, ("qr_rec.tasks.csv.gz", "qr_dag.csv.gz", "qr_rec.data_handles.csv.gz")),
                           "-o", "qr.graph", "--json", "-")
    check(code == 0 and {k: json.loads(out)[k] for k in ("tasks", "edges", "implied")} ==
          {"tasks": 4839, "edges": 14083, "implied": 14083}, f"qr_mumps: {out}{err}")
    qr = info("qr.graph")
    check(abs(qr["bound"]["area"] - 12.2538) < 5e-5 and abs(qr["bound"]["critical_path"] - 7.5039) < 5e-5 and
          qr["workers"] == {"cpu": 10} and abs(qr["recorded"] - 15.7785) < 5e-5, f"{qr}")
    lu = list(map(at, ("lu_rec.tasks.csv.gz", "lu_dag.csv.gz", "lu_rec.data_handles.csv.gz")))
    code, out, err = graph("import", *lu, "-o", "lu.graph", "--json", "-")
    check(code == 0 and json.loads(out)["tasks"] == 268 and json.loads(out)["edges"] == 540, f"LU: {out}{err}")
    plain = info("lu.graph", "--cpus", "19")
    check(abs(plain["bound"]["area"] - 0.55915) < 5e-5 and abs(plain["bound"]["critical_path"] - 0.86364) < 5e-5, f"{plain}")
    graph("import", *lu, "-o", "lu.graph", "--time", "dgemm=58349.76")
    timed = info("lu.graph", "--cpus", "19")
    check(abs(timed["bound"]["area"] - 0.5618) < 5e-5 and abs(timed["bound"]["critical_path"] - 0.8662) < 5e-5, f"{timed}")
    check(info(at("chol.graph"))["tasks"] == 120, "chol.graph")
else:
    print("skipped: no foreign traces (the directory of shared data is not here)")
finish("graph")
