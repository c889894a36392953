"""orrery graph draw: the run that a graph holds, as --trace draws one that has just ended, and the graph for Graphviz.

    draw.py ORRERY

SPDX-License-Identifier: BSD-3-Clause"""
import json, os, sys, xml.etree.ElementTree

from checks import call, check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
empty_directory()


def graph(*words):
    return call(orrery, "graph", *words)


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


# The run of three tasks on two of three workers.
RAN = """orrery graph 2
recorded on h&re cpu 3 cuda 0 opencl 0
tasks 3
data 1 80
data 2 80
task a ran=cpu worker=0 ready=5.000 start=10.000 end=1010.000 cpu=1000.000 1:W
task b<c> ran=cpu worker=2 start=10.000 end=510.000 cpu=500.000 priority=7 2:W
task d\"\\ ran=cpu worker=2 start=1015.000 end=2005.000 cpu=990.000 1:R 2:R
end
"""
write("ran.graph", RAN)
for suffix in "svg", "html", "json", "paje", "dot":
    code, out, err = graph("draw", "ran.graph", "-o", f"ran.{suffix}")
    check(code == 0 and not out and not err, f"draw {suffix}: {code} {out}{err}")


def svg(name):
    tree = xml.etree.ElementTree.parse(name).getroot()
    return [e.text for e in tree.iter() if e.tag.endswith("}text")], [e for e in tree.iter() if e.tag.endswith("}path")]


def page(name):
    text = open(name).read()
    return json.loads(text[text.index('id="data">') + 10:text.index("</script>")])


# 2 ms from when a was ready on; the chain of a and d takes 1.99, the work on three workers 0.83. All are ready at once but d.
texts, paths = svg("ran.svg")
check(texts[:3] == ["ran.graph", "recorded on h&re, 3 CPU workers", "3 tasks in 2 ms, 1.01 times the bound of 1.99 ms"] and
      {"CPU 0", "CPU 2", "idle CPU", "a", "b<c>", 'd"\\', "work / workers 0.83 ms", "longest chain 1.99 ms", "ready tasks", "2", "data, by first use; colour: codelet; 1 tasks have none",
       "ms from when the first task could begin"} <= set(texts), f"{texts}")
# The page: workers, tasks with times from there on, what is not known, the longest chain, and the tables.
data = page("ran.html")
check(data["begin"] == "when the first task could begin" and data["command"] == "ran.graph" and data["workers"] == ["CPU 0", "CPU 2", "idle CPU"] and data["nodes"] == [] and data["names"] == ["a", "b<c>", 'd"\\'], f"{data}")
known = ["not known"] * 2
check(data["tasks"] == [[0, 0, 0, 5, 5, 1005, *known, 0, 0, 0, 0, 0, 0, 0, 1], [1, 1, 0, 5, 5, 505, *known, 0, 0, 0, 0, 0, 7, 1, 0],
                        [2, 1, 1005, 1010, 1010, 2000, *known, 0, 0, 0, 0, 0, 0, -1, 1]], f"{data['tasks']}")
check(data["tables"][0]["rows"] == [["", "2", "0.83", "1.99", "1.99"]] and data["tables"][1]["rows"] == [["CPU", "3", "3", "41.5", "0.0", "58.0", "0.5"]], f"{data['tables']}")
events = json.load(open("ran.json"))["traceEvents"]
check([(e["name"], e["tid"], e["ts"], e["dur"], e["args"]) for e in events if e["ph"] == "X"] ==
      [("a", 0, 5, 1000, {"task": 1, "priority": 0, "wait": 5}), ("b<c>", 1, 5, 500, {"task": 2, "priority": 7, "wait": 5}),
       ('d"\\', 1, 1010, 990, {"task": 3, "priority": 0, "wait": 5})], f"{events}")
check([e["args"]["name"] for e in events if e["ph"] == "M"] == ["CPU 0", "CPU 2", "idle CPU"], f"{events}")
paje = open("ran.paje").read()
check("2 c2 S d'' " in paje and '3 0.0 w2 W p "idle CPU"' in paje and "4 0.0010100 S w1 c2\n4 0.0020000 S w1 I\n" in paje, paje)
dot = open("ran.dot").read()
check(dot.count("[label=") == 3 and "t1 -> t3;" in dot and "t2 -> t3;" in dot and dot.count("->") == 2 and dot.count("penwidth") == 2, dot)

# Copies between memories follow from the accesses: a's data go to the device, b's come back. What a file does not say is not drawn: a memory
# that is missing, ranks, which have memories of equal numbers, or a memory that pictures cannot follow.
MOVES = """orrery graph 2
recorded on here cpu 1 cuda 1 opencl 0
tasks 3
data 1 3000000
data 2 5000000
task a ran=cpu worker=1 node=0 start=0.000 end=10.000 cpu=10.000 1:W
task b ran=cuda worker=0 node=1 submit=1 ready=11.000 start=20.000 end=30.000 cuda=10.000 1:R 2:W
task c ran=cpu worker=1 node=0 start=40.000 end=50.000 cpu=10.000 1:R 2:R
end
"""
write("moves.graph", MOVES)
graph("draw", "moves.graph", "-o", "moves.html")
graph("draw", "moves.graph", "-o", "moves.svg")
data, texts = page("moves.html"), svg("moves.svg")[0]
check(data["nodes"] == ["main memory", "CUDA 0"] and data["runs"][0]["moves"] == [[0, 1, 20, 20, 3000000], [1, 0, 40, 40, 5000000]], f"{data}")
check({"main memory to CUDA 0", "CUDA 0 to main memory", "3 MB", "5 MB"} <= set(texts), f"{texts}")
check([t[2] for t in data["tasks"]] == [0, 11, 30], f"ready: {data['tasks']}")
for old, new in (" node=0 start=0", " start=0"), (" node=0 start=0", " rank=1 node=0 start=0"), ("node=1", "node=32"), ("node=1", "node=2147483647"):
    write("still.graph", MOVES.replace(old, new))
    code, out, err = graph("draw", "still.graph", "-o", "still.html")
    check(code == 0 and page("still.html")["runs"][0]["moves"] == [] and ("rank" not in new or "rank 1 CPU 1" in page("still.html")["workers"]), f"{new}: {code} {err}")

# Of more links than are drawn each has its own bytes.
write("links.graph", "orrery graph 2\nrecorded on here cpu 1 cuda 9 opencl 0\ntasks 18\n" + "".join(f"data {k} {k}000000\n" for k in range(1, 10)) +
      "".join(f"task a ran=cpu worker=0 node=0 start={k} end={k + 1} cpu=1 {k}:W\n" for k in range(1, 10)) +
      "".join(f"task b ran=cuda worker={k - 1} node={k} start=2{k} end=3{k} cuda=10 {k}:R\n" for k in range(1, 10)) + "end\n")
graph("draw", "links.graph", "-o", "links.svg")
texts = svg("links.svg")[0]
check([t for t in texts if t and t.endswith(" MB")] == [f"{k} MB" for k in range(8, 0, -1)], f"{texts}")

# The worker that is idle until 3, and from 4 to 12, is so while b is ready, until 10. How much faster a device is, is told of tasks of one footprint.
write("idle.graph", "orrery graph 2\nrecorded on here cpu 2 cuda 0 opencl 0\ntasks 3\ntask a ran=cpu worker=0 start=0 end=10 cpu=10\n"
      "task b ran=cpu worker=0 ready=0 start=10 end=12 cpu=2\ntask c ran=cpu worker=1 ready=1 start=3 end=4 cpu=1\nend\n")
graph("draw", "idle.graph", "-o", "idle.html")
rows = page("idle.html")["tables"][1]["rows"]
check(rows == [["CPU", "2", "3", "54.2", "0.0", "8.3", "37.5"]], f"{rows}")
write("factor.graph", "orrery graph 2\nrecorded on here cpu 1 cuda 1 opencl 0\ntasks 3\ntask k model=m footprint=1 ran=cpu worker=0 start=0 end=10 cpu=10\n"
      "task k model=m footprint=2 ran=cpu worker=0 start=10 end=1010 cpu=1000\ntask k model=m footprint=1 ran=cuda worker=0 start=0 end=2 cuda=2\nend\n")
graph("draw", "factor.graph", "-o", "factor.html")
rows = page("factor.html")["tables"][2]["rows"]
check(rows[0][:2] == ["k", "2"] and rows[0][-1] == "5", f"{rows}")

# Tasks that take no time, or next to none, and times that are far from zero.
for times in ("start=0 end=0", "start=0 end=0"), ("start=0 end=5e-324", "start=0 end=0"), ("start=1.7e15 end=1700000000000002", "ready=-3 start=1.7e15 end=1.7e15"), \
        ("start=-9e17 end=9e17", "start=0 end=9e17"):
    write("times.graph", RAN.replace("ready=5.000 start=10.000 end=1010.000", times[0]).replace("start=10.000 end=510.000", times[1]))
    for suffix in "svg", "html", "json", "paje":
        code, out, err = graph("draw", "times.graph", "-o", "times." + suffix)
        check(code == 0 and not err, f"{times} {suffix}: {code} {err}")
    check("nan" not in open("times.svg").read() and page("times.html")["runs"][0]["end"] > 0, f"{times}")
write("times.graph", RAN.replace("start=1015.000 end=2005.000", "start=0 end=0").replace("ready=5.000 start=10.000 end=1010.000", "start=0 end=0").replace("start=10.000 end=510.000", "start=0 end=0"))
graph("draw", "times.graph", "-o", "times.svg")
graph("draw", "times.graph", "-o", "times.html")
check("nan" not in open("times.svg").read() and page("times.html")["runs"][0]["end"] == 0.1, "a run of no time")

for time in "start=-1e308", "ready=1e18", "submit=inf":
    write("times.graph", RAN.replace("start=1015.000", time))
    code, out, err = graph("draw", "times.graph", "-o", "far.svg")
    check(code == 3 and "times.graph:8: " + time.split("=")[0] in err and not os.path.exists("far.svg"), f"{time}: {code} {err}")

# A part of a graph that ran has no bounds, and HIP no tables; phases make tasks ready; of a thousand idle workers some are drawn.
write("part.graph", RAN.replace("tasks 3", "tasks 4").replace("\nend\n", "\ntask e cpu=7.000 2:R\nend\n"))
graph("draw", "part.graph", "-o", "part.svg")
check("3 tasks in 2 ms; no bounds" in svg("part.svg")[0], f"{svg('part.svg')[0]}")
write("hip.graph", "orrery graph 2\nrecorded on here cpu 1000 cuda 0 opencl 0 hip 1\ntasks 3\ntask a ran=hip worker=3 start=1 end=2 hip=1\n"
      "task j where=none\ntask b phase=1 ran=cpu worker=0 start=5 end=6 cpu=1\nend\n")
graph("draw", "hip.graph", "-o", "hip.html")
data = page("hip.html")
check(data["workers"] == ["CPU 0", "HIP 3"] + 64 * ["idle CPU"] and data["tables"] == [] and [t[2] for t in data["tasks"]] == [0, 1] and
      data["machine"] == "recorded on here, 1000 CPU workers, 1 HIP worker, of which 935 ran nothing and are not drawn" and
      data["runs"][0]["verdict"] == "2 tasks in 0.005 ms, 5 times the bound of 0.001 ms", f"{data}")

# Of more codelets than colours the longest have one of their own; c15, which is the last, is the longest.
write("many.graph", "orrery graph 2\nrecorded on here cpu 1 cuda 0 opencl 0\ntasks 16\n" +
      "".join(f"task c{k} ran=cpu worker=0 start={k * k}00 end={(k + 1) * (k + 1)}00 cpu={2 * k + 1}00\n" for k in range(16)) + "end\n")
for suffix in "svg", "html", "paje":
    graph("draw", "many.graph", "-o", "many." + suffix)
texts = svg("many.svg")[0]
check(texts[3:11] == ["c15", "c14", "c13", "c12", "c11", "c10", "c9", "others"], f"{texts[:12]}")
data = page("many.html")
check(data["names"] == [f"c{k}" for k in reversed(range(16))] and [t[0] for t in data["tasks"]] == list(reversed(range(16))), f"{data['names']}")
paje = open("many.paje").read()
check(paje.count("\n2 c") == 16 and '2 c0 S c15 "0.00 0.45 0.70"' in paje and "4 0.0225000 S w0 c0\n" in paje, paje)

# Bytes that are no UTF-8 and characters that XML has not, in names of codelets, host and file; a path in other letters is cut between them.
write("text.graph", RAN)
for old, new in (b"h&re", b"h\xff\xc3"), (b"task a", b"task \xe9\xe9t\xed\xa0\x80"), (b"b<c>", "\uffff\ufffe\u2028漢".encode()):
    data = open("text.graph", "rb").read()
    with open("text.graph", "wb") as f:
        f.write(data.replace(old, new))
for suffix in "svg", "html", "json", "paje", "dot":
    check(graph("draw", "text.graph", "-o", "text." + suffix)[0] == 0, f"text {suffix}")
data, texts = page("text.html"), svg("text.svg")[0]
check(data["names"][:2] == ["\ufffd\ufffdt\ufffd\ufffd\ufffd", "\uffff\ufffe\u2028漢"] and data["machine"].startswith("recorded on h\ufffd\ufffd,"), f"{data}")
check({"??t???", "??\u2028漢"} <= set(texts) and texts[1].startswith("recorded on h??,"), f"{texts}")
check(json.load(open("text.json"))["traceEvents"][3]["name"] == data["names"][0], "events")
write("text.graph", RAN.replace("task a", "task " + 50 * "é<" + "end").replace("b<c>", 122 * "b"))
graph("draw", "text.graph", "-o", "text.svg")
texts = svg("text.svg")[0] # of 960 px 920 have room for 121 letters
check(122 * "b" not in texts and 118 * "b" + "..." in texts and 50 * "é<" + "end" in texts, f"{texts}")
for name in "x" + 90 * "é", 90 * "漢", "ä" * 40 + " " + "ö" * 70, " ".join(40 * ["wé"]), "\x01\x7f\n" + "🙂" * 60:
    os.makedirs("/".join(name[k:k + 50] for k in range(0, len(name), 50)), exist_ok=True)
    path = "/".join(name[k:k + 50] for k in range(0, len(name), 50)) + "/g"
    write(path, RAN)
    check(graph("draw", path, "-o", "path.svg")[0] == 0, path)
    texts = svg("path.svg")[0]
    told = "".join(texts[:texts.index("recorded on h&re, 3 CPU workers")])
    check(told.replace(" ", "") == path.replace(" ", "").translate({1: "?", 127: "?", 10: "?"}), f"{path}: {texts[:4]}")

graph("make", "chain", "--size", "3", "-o", "made.graph")
for words, wanted, message in ((("made.graph", "-o", "made.svg"), 3, "no run to draw"), (("made.graph", "-o", "made.png"), 2, "neither in .svg"),
                               (("ran.graph",), 2, "--output FILE is needed"), ((), 2, "one FILE.graph"), (("ran.graph", "-o", "no/x.svg"), 3, "no/x.svg"),
                               (("ran.graph", "-o", "x.svg", "--cpus", "2"), 2, "means nothing here"), (("absent.graph", "-o", "x.svg"), 3, "cannot open")):
    code, out, err = graph("draw", *words)
    check(code == wanted and message in err, f"draw {words}: {code} {err}")
check(graph("draw", "made.graph", "-o", "made.dot")[0] == 0 and open("made.dot").read().count("->") == 2, "a chain")
# That of a schedule is a run.
call(orrery, "replay", "made.graph", "--sched", "fifo", "--cpus", "2", "-o", "fifo.graph", "-q")
code, out, err = graph("draw", "fifo.graph", "-o", "fifo.svg")
check(code == 0 and "replayed under fifo on 2 CPU workers; recorded on made:chain" in svg("fifo.svg")[0], f"{code} {err}")
finish("draw")
