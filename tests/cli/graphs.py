"""examples/graphs: each graph is what its README says, and is read by replay, by both of its back-ends, and by simulate.

    graphs.py ORRERY EXAMPLES/GRAPHS [ORRERY_SIM]

SPDX-License-Identifier: BSD-3-Clause"""
import json, os, re, subprocess, sys

from checks import check, empty_directory, finish

orrery, directory = map(os.path.abspath, sys.argv[1:3])
sim = sys.argv[3] if len(sys.argv) > 3 else ""
empty_directory()


def lines(*words):
    done = subprocess.run([orrery, *words, "--json", "-", "-q"], capture_output=True, text=True)
    check(done.returncode == 0, f"{words}: {done.returncode} {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


with open(os.path.join(directory, "README.md")) as f:
    table = re.findall(r"^\| `(\S+)` \| `(\w+) [^`]*` \|" + r" ([0-9.]+) \|" * 6 + "$", f.read(), re.M)
names = {name for name in os.listdir(directory) if name.endswith(".graph.gz")}
check(names == {row[0] + ".graph.gz" for row in table}, f"graphs of the table and of the directory: {sorted(names)}")
families = [row[1] for row in table]
check(all(families.count(f) == 2 for f in ("heevj", "gesvj", "hb2st", "gb2bd", "powm", "pagerank", "heev", "gesvd")), f"{families}")
check(sum(os.path.getsize(os.path.join(directory, name)) for name in names) < 1.5e6, "they are large")

for name, _, tasks, data, edges, *ms in table:
    path = os.path.join(directory, name + ".graph.gz")
    (i,) = lines("graph", "info", path)
    check([str(i[k]) for k in ("tasks", "data", "edges")] == [tasks, data, edges] and i["workers"]["cpu"] == 2, f"{name}: {i}")
    got = i["bound"]["area"], i["bound"]["critical_path"], i["recorded"]
    check(all(abs(1e3 * x - float(y)) <= 0.006 for x, y in zip(got, ms)), f"{name}: {got} {ms}")
    check(i["recorded"] >= i["bound"]["lp"] * (1 - 1e-9), f"{name}: recorded in less than the bound")
    for r in lines("replay", path, "--cpus", "2,8", "--sched", "fifo,distances"):
        check(r["tasks"] == i["tasks"] and r["makespan"] >= r["bound"]["lp"] * (1 - 1e-9), f"{name}: {r}")

small = os.path.join(directory, "gb2bd-512.graph.gz")
if subprocess.run([orrery, "replay", small, "--on", "real", "--cpus", "1", "--repeat", "1", "-q"], capture_output=True).returncode == 77:
    print("replay --on real was not tried: there is no orrery-real")
else:
    (r,) = lines("replay", small, "--on", "real", "--cpus", "2", "--sched", "lws", "--repeat", "1")
    check(r["makespan"] >= r["bound"]["lp"] * (1 - 1e-6), f"{r}")
if os.path.exists(sim):
    os.environ["ORRERY_SIM"] = sim
    machine = os.path.join(directory, "..", "..", "perfmodels", "ci-2core.machine")
    (r,) = lines("simulate", "--machine", machine, "--cpus", "2", "--sched", "lws", small)
    check(r["tasks_end"] >= r["bound"]["lp"] * (1 - 1e-6) and r["tasks"] == int(dict((t[0], t[2]) for t in table)["gb2bd-512"]), f"{r}")
else:
    print("simulate was not tried: there is no orrery-sim")
finish("graphs")
