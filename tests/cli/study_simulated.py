"""Ready studies that need SimGrid: runs of zhou-simgrid, heteroprio-simgrid and bulge-simgrid. What is simulated of one graph is the same
in every run, so makespans are compared with those of a schedule without transfers.

    study_simulated.py ORRERY ORRERY_SIM

SPDX-License-Identifier: BSD-3-Clause"""
import json, os, subprocess, sys

from checks import check, empty_directory, finish

orrery, sim = os.path.abspath(sys.argv[1]), sys.argv[2]
empty_directory()
os.environ.update(STARPU_SILENT="1", ORRERY_SIM=sim)


def study(*words, code=0):
    done = subprocess.run([orrery, "study", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check(done.returncode == code, f"{words}: {done.returncode} {done.stderr}")
    return done.stdout


def rows(name):
    with open(f"{name}.study/results.jsonl") as f:
        return [json.loads(line) for line in f]


yaml = subprocess.run([orrery, "study", "plan", "zhou-simgrid"], capture_output=True, text=True)
if yaml.returncode == 77 or not os.path.exists(sim):
    print("skipped:", yaml.stderr.strip() or f"there is no {sim}")
    sys.exit(77)
check("18 runs" in yaml.stdout, yaml.stdout + yaml.stderr)
out = study("plan", "heteroprio-simgrid")
check("12 points" in out and "240 runs" in out, out)

# Runs of bulge-simgrid: a graph recorded on one core in the blocks that were asked for, simulated on 16, no faster than its bound.
out = study("plan", "bulge-simgrid")
check("20 points" in out and "240 runs" in out, out)
study("run", "bulge-simgrid", "-q", "--runs", "2")
for r in rows("bulge-simgrid"):
    record = r["record"] or {}
    check(r["status"] == "ok" and record["machine"]["name"] == "h200x8" and record["workers"] == {"cpu": 16, "cuda": 0} and
          record["recorded"]["cpu"] == 1 and record["sched"] == "lws" and r["value"] == record["tasks_end"] >= record["bound"]["lp"] * (1 - 1e-6), f"{r}")

# Waiting workers poll, which costs a simulation far more than tasks do: what keeps both kinds busy is over at once.
plan = {"study": 1, "name": "pairs", "run": "orrery simulate --machine MACHINE --cpus 1 --gpus 1 --sched {sched} {store}/2-{how}.graph --json {record} -q",
        "prepare": "STUDIES/zhou.sh 2 {how} {store}/2-{how}.graph", "measure": "tasks_end", "exact": True, "blocks": 1,
        "factors": {"how": ["pairs", "free"], "sched": ["pipeline", "dmdas"]}, "compare": {"factor": "how", "baseline": "pairs"}}
studies = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "studies")
with open("pairs.json", "w") as f:
    f.write(json.dumps(plan).replace("STUDIES", studies).replace("MACHINE", os.path.join(studies, "zhou.machine")))
study("run", "pairs.json", "-q")
at = {tuple(r["factors"].values()): r for r in rows("pairs")}
check(len(at) == 4 and all(r["status"] == "ok" for r in at.values()), f"{at}")
for (how, sched), r in at.items():
    done = subprocess.run([orrery, "replay", f"pairs.study/2-{how}.graph", "--cpus", "1", "--gpus", "1", "--sched", "fifo", "--json", "-", "-q"],
                          capture_output=True, text=True)
    free = json.loads(done.stdout)  # without transfers, which add 1 %
    check(free["bound"]["lp"] <= r["value"] <= 1.05 * free["makespan"], f"{how} {sched}: {r['value']}, without transfers {free}")
finish("studies, simulated")
