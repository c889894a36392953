"""orrery study: plans good and bad, blocks, a runner that is killed, what a row says.

    study.py ORRERY [STUDIES.MD|long]

With `long` the runner is killed 200 times, else 8 times. Plans are written in JSON; where this orrery reads YAML, in that, too. The plan
of docs/studies.md is checked, and a few of its runs are made, by the commands that stand there.

SPDX-License-Identifier: BSD-3-Clause"""
import fcntl, json, os, random, re, shutil, signal, subprocess, sys, time

from checks import check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
long = "long" in sys.argv[2:]
page = os.path.abspath(sys.argv[-1])
empty_directory()


def study(*words, code=0, given=""):
    done = subprocess.run([orrery, "study", *words], capture_output=True, text=True, input=given)
    check(code is None or done.returncode == code, f"exit code {done.returncode}, not {code}: {words}: {done.stderr}")
    return done


def write(name, text, mode=0o644):
    with open(name, "w") as f:
        f.write(text if isinstance(text, str) else json.dumps(text, indent=1))
    os.chmod(name, mode)


def rows(directory):
    with open(f"{directory}/results.jsonl") as f:
        return [json.loads(line) for line in f]


def lines(name):
    return open(name).read().split() if os.path.exists(name) else []


# A run notes that it began, and says how long it took.
write("tool.sh", '#!/bin/sh\necho "$1,$2,$3" >>"$LOG"\nsleep "${PAUSE:-0}"\necho "took 0.$2$3 s"\n', 0o755)
os.environ["LOG"] = os.path.abspath("log")
plan = {"study": 1, "name": "small", "question": "Which is it?", "run": "./tool.sh {block} {n} {how}",
        "pattern": "took ([0-9.]+) s", "factors": {"n": [10, 20], "how": {"one": "1", "two": "2", "three": "3"}}, "blocks": 4,
        "seed": 5, "compare": {"factor": "how", "baseline": "one", "margin": "2%"}, "timeout": 100}
write("small.json", plan)

# ---- A plan, told ------------------------------------------------------------------------------------------------
before = sorted(os.listdir())
told = json.loads(study("plan", "small.json", "--json", "-").stdout)
check((told["points"], told["runs"], told["done"], told["comparisons"]) == (6, 24, 0, 6), f"plan: {told}")
check(told["seconds"] is None and told["memory"] is None and told["disk"] is None and told["seconds_most"] == 2400 and not told["spread_measured"], f"times of a plan: {told}")
check(told["least_blocks"] == 8 and told["detectable"] is None, f"4 blocks cannot tell: {told}")
out = study("plan", "small.json").stdout
check("4 blocks cannot tell anything apart: at least 8" in out and "24 runs" in out, out)
found = []
for blocks in 8, 16, 64, 200:
    write("blocks.json", {**plan, "blocks": blocks})
    found.append(json.loads(study("plan", "blocks.json", "--json", "-").stdout)["detectable"])
check(all(a > b > 0.02 for a, b in zip(found, found[1:])), f"more blocks find less: {found}")
os.remove("blocks.json")
check(sorted(os.listdir()) == before and not os.path.exists("log"), "plan writes or starts something")

# ---- Mutants -----------------------------------------------------------------------------------------------------
YAML = """study: 1
name: small
question: Which is it?
run: ./tool.sh {block} {n} {how}
pattern: took ([0-9.]+) s
factors:
  n: [10, 20]
  how: {one: 1, two: 2, three: 3}
blocks: 4
seed: 5
env:
  SOME: thing
compare:
  factor: how
  baseline: one
  margin: 2%
timeout: 100
"""
write("small.yaml", YAML)
yaml = study("plan", "small.yaml", code=None).returncode != 77
if not yaml:
    print("skipped: this orrery was built without libfyaml")
# What stands where, what stands there instead, and the line that is to be told (None: any).
mutants = [
    ("study: 1", "study: 2", 1), ("study: 1\n", "", None), ("study: 1", "study: one", 1), ("study: 1", "study: [1]", 1),
    ("name: small\n", "", None), ("name: small", "name: ../x", 2), ("name: small", "name: ''", 2), ("name: small", "name: a b", 2),
    ("name: small", "nmae: small", 2), ("name: small", "name: [small]", 2), ("name: small", "name: small\nname: other", 3),
    ("question: Which is it?", "question: []", 3), ("run: ./tool.sh {block} {n} {how}\n", "", None),
    ("{block} {n} {how}", "{block} {n}", 8), ("{block} {n} {how}", "{n} {how} {m}", 4), ("{n} {how}", "{n} {how", 4),
    ("{n} {how}", "{n} {how} }", 4), ("{n} {how}", "{n} {how} 'x", 4), ("./tool.sh", "./nothing.sh", 4), ("./tool.sh", "no-such-program", 4),
    ("./tool.sh", "./small.yaml", 4), ("run: ./tool.sh {block} {n} {how}", "run: ''", 4), ("run: ./tool.sh {block} {n} {how}", "run: {a: b}", 4),
    ("run: ./tool.sh {block} {n} {how}", "run: [[a], b]", None), ("{n} {how}", "{n} {how} {}", 4),
    ("pattern: took ([0-9.]+) s", "pattern: took [0-9.]+ s", 5), ("pattern: took ([0-9.]+) s", "pattern: took ([0-9 s", 5),
    ("pattern: took ([0-9.]+) s", "pattern: took ([0-9.]+) s\nmeasure: wall", None), ("pattern: took ([0-9.]+) s", "measure: seconds.median", 4),
    ("factors:\n  n: [10, 20]\n  how: {one: 1, two: 2, three: 3}", "factors: []", 6),
    ("  n: [10, 20]", "  n: []", 7), ("  n: [10, 20]", "  n: [10, 10]", 7), ("  n: [10, 20]", "  n: [10, [20]]", None),
    ("  n: [10, 20]", "  n: [10, '']", None), ("  n: [10, 20]", "  1n: [10, 20]", 7), ("  n: [10, 20]", "  n: [10, 20]\n  n: [30]", 8),
    ("  n: [10, 20]", "  seed: [10, 20]", 7), ("  n: [10, 20]", "  'n m': [10]", 7), ("  n: [10, 20]", "  n: [10, 20]\n  m: [1]", 8),
    ("{one: 1, two: 2, three: 3}", "{one: 1, one: 2}", 8), ("{one: 1, two: 2, three: 3}", "{one: 1, two: \"'\"}", None),
    ("blocks: 4", "blocks: 0", 9), ("blocks: 4", "blocks: -4", 9), ("blocks: 4", "blocks: 4.5", 9), ("blocks: 4", "blocks: many", 9),
    ("blocks: 4", "blocks: 1e9", 9), ("blocks: 4", "blocks: [4]", 9), ("blocks: 4", "bloks: 4", 9), ("seed: 5", "seed: -1", 10),
    ("seed: 5", "seed: nan", 10), ("  SOME: thing", "  SOME: [thing]", 12), ("  SOME: thing", "  A=B: thing", 12), ("env:\n  SOME: thing", "env: x", 11),
    ("  factor: how", "  factor: hwo", 14), ("  factor: how\n", "", None), ("  baseline: one", "  baseline: four", 15),
    ("  baseline: one", "  baslein: one", 15), ("  margin: 2%", "  margin: 120%", 16), ("  margin: 2%", "  margin: -1", 16),
    ("  margin: 2%", "  margin: 2 %", 16), ("  margin: 2%", "  margin: inf", 16), ("timeout: 100", "timeout: 0", 17),
    ("timeout: 100", "timeout: never", 17), ("timeout: 100", "timeout:", 17), ("timeout: 100", "timeout: 100\nspread: 0", 18),
    ("timeout: 100", "timeout: 100\nfiles: [{}]", None), ("timeout: 100", "timeout: 100\nfiles: ['{dir}/x']", None),
    ("timeout: 100", "timeout: 100\nprepare: ./tool.sh {seed}", None),
    ("  n: [10, 20]", "  n: [10, 20", None), ("name: small", "name: \"small", None), ("name: small", "\tname: small", None),
    ("name: small", "name: !!binary small", None), ("seed: 5", "seed: &x 5\n...\n---\nstudy: 1", None), ("seed: 5", "seed: *x", None),
    ("  margin: 2%", " margin: 2%", None), ("study: 1", "study: 1\n- a", None), (YAML, "", None), (YAML, "- 1\n", None), (YAML, "[" * 100000, None),
    (YAML, "x" * (1 << 21), None), ("small", "sm\0all", 2), ("timeout: 100", "timeout: 100\nfiles: [tool.sh, nothing.dat]", 18),
    ("timeout: 100", "timeout: 100\nfiles: [.]", 18), ("timeout: 100", "timeout: 100\nprepare: ./nothing.sh {n}", 18),
    ("timeout: 100", "timeout: 100\nprepare: '{how}-nothing'", 18),
]
before = sorted(os.listdir())
if yaml:
    for old, new, line in mutants:
        check(old in YAML, f"a mutant of nothing: {old}")
        write("mutant.yaml", YAML.replace(old, new, 1))
        done = study("plan", "mutant.yaml", code=3)
        place = re.match(r"orrery: mutant\.yaml(?::(\d+):(\d+))?: .", done.stderr)
        check(place and (line is None or place.group(1) == str(line)), f"{old!r} -> {new!r}: line {line}: {done.stderr}")
        check("\n" not in done.stderr.strip(), f"{old!r} -> {new!r}: more than a line: {done.stderr}")
        check(study("run", "mutant.yaml", code=3).stderr == done.stderr, f"{old!r} -> {new!r}: run says something else than plan")
    os.remove("mutant.yaml")
text = json.dumps(plan, indent=1)
for old, new, line in [('"study": 1', '"study": 2', 2), ('"blocks": 4', '"blocks": 0', 18), ('"seed": 5', '"sede": 5', 19), ("}", "", None),
                       ('"one": "1"', '"one": [1]', 13), ('"small"', '"small', 3), ('"n": [', '"n": {', None), (text, "{", None)]:
    check(old in text, f"a mutant of nothing: {old}")
    write("mutant.json", text.replace(old, new, 1))
    done = study("plan", "mutant.json", code=3)
    place = re.match(r"orrery: mutant\.json:(\d+):\d+: .", done.stderr)
    check(place and (line is None or place.group(1) == str(line)), f"JSON {old!r} -> {new!r}: line {line}: {done.stderr}")
rest = random.Random(3)
for k in range(20):  # a byte that went wrong somewhere: refused or understood, never worse
    at = rest.randrange(len(text))
    write("mutant.json", text[:at] + rest.choice('{}[]",:x0\\\n') + text[at + rest.randrange(2):])
    check(study("plan", "mutant.json", code=None).returncode in (0, 3), f"a byte of {at}")
os.remove("mutant.json")
with open("latin.json", "wb") as f:
    f.write(text.replace("small", "sm\u00e4ll").encode("latin-1"))
check(re.match(r"orrery: latin\.json:3:\d+: no text in UTF-8", study("plan", "latin.json", code=3).stderr), "Latin-1 in JSON")
os.remove("latin.json")
check("nothing.yaml: cannot open: No such file or directory" in study("plan", "nothing.yaml", code=3).stderr, "a plan that is not there")
study("plan", ".", code=3)
check(study("plan", "-", given=text).stdout == study("plan", "small.json").stdout, "a plan from standard input")
check("standard input:2:" in study("plan", "-", given=text.replace('"study": 1', '"study": 2', 1), code=3).stderr, "a wrong one")
check("standard input" in study("plan", "-", code=3).stderr, "nothing there")
check(sorted(os.listdir()) == before, "a wrong plan leaves something behind")
for words in [], ["plan"], ["plan", "a", "b"], ["paln", "small.json"], ["run", "small.json", "--json", "-"], ["plan", "small.json", "--runs", "2"]:
    study(*words, code=2)

# ---- Plans as large as they may be: in less than a second, where something quadratic took minutes ---------------------
few = {"study": 1, "name": "large", "run": "./tool.sh {n}", "blocks": 1, "factors": {"n": ["1", "2"]}}
for what, large, says in [
    ("values", {**few, "factors": {"n": [f"{k:05}" for k in range(85000)]}}, ""),
    ("names of values", {**few, "factors": {"n": {f"v{k}": k for k in range(45000)}}}, ""),
    ("variables", {**few, "env": {f"V{k}": str(k) for k in range(45000)}}, ""),
    ("words", {**few, "run": ["./tool.sh", "{n}"] + ["1"] * 100000}, ""),
    ("a value twice", {**few, "factors": {"n": [f"{k:05}" for k in range(85000)] + ["84999", "00000"]}}, "1:765087: 'n' has the value '84999' twice"),
]:
    texts = {"json": json.dumps(large)}
    assert len(texts["json"]) < 1 << 20
    if yaml:
        texts["yaml"] = "".join(f"{key}: {json.dumps(value)}\n" for key, value in large.items())
    for kind, text in texts.items():
        write(f"large.{kind}", text)
        try:
            done = subprocess.run([orrery, "study", "plan", f"large.{kind}"], capture_output=True, text=True, timeout=200)
        except subprocess.TimeoutExpired:
            check(False, f"a plan of many {what}, {kind}: longer than 200 s")
            continue
        check(done.returncode == (3 if says else 0), f"a plan of many {what}, {kind}: {done.stderr[:200]}")
        check(not says or kind == "yaml" or re.search(says, done.stderr), f"a plan of many {what}, {kind}: {done.stderr[:200]}")
        os.remove(f"large.{kind}")
write("mutant.json", '{"study": 1, "b": 2,\n "a": 1, "a": 2,\n "b": 3, "study": 2}')
check("mutant.json:2:11: 'a' is here a second time, after line 2" in study("plan", "mutant.json", code=3).stderr, "the first name that is there again")
os.remove("mutant.json")

# ---- A study -----------------------------------------------------------------------------------------------------
study("run", "small.json", "-q")
whole = rows("small.study")
check(len(whole) == 24 == len({r["id"] for r in whole}) == len(lines("log")), f"{len(whole)} rows, {len(lines('log'))} runs")
orders = [[r["point"] for r in whole if r["block"] == b] for b in range(1, 5)]
check(all(sorted(o) == list(range(6)) for o in orders), f"every point once in each block: {orders}")
check(len(set(map(tuple, orders))) > 1, f"all blocks have one order: {orders}")
for r in whole:
    how = {"one": 1, "two": 2, "three": 3}[r["factors"]["how"]]
    check(r["status"] == "ok" and r["value"] == float(f"0.{r['factors']['n']}{how}") and r["exit"] == 0, f"row {r}")
    check(r["command"][1:] == [str(r["block"]), r["factors"]["n"], str(how)] and r["wall"] > 0 and r["rss"] > 0, f"row {r}")
    check({"machine", "kernel", "processor", "cpus", "version", "git", "environment", "time"} <= set(r["provenance"]), f"row {r}")
check(not os.listdir("small.study/runs"), "files of runs that have ended")
study("run", "small.json", "-q")
check(len(lines("log")) == 24, "a whole study runs again")
state = json.loads(study("status", "small.json", "--json", "-", "-q").stdout)
check((state["done"], state["runs"], state["bad"], state["whole"]) == (24, 24, 0, 4), f"status: {state}")
# Its own files are no place for --json, under whatever name.
os.symlink("small.study/plan.lock", "link")
held = {f: open(f"small.study/{f}").read() for f in ("plan.lock", "results.jsonl", "runner")}
for action in "status", "report", "plan":
    for name in "small.study/results.jsonl", "./small.study/runner", "link", "small.study/report.html":
        done = study(action, "small.json", "--json", name, code=2)
        check("would be overwritten" in done.stderr and not os.path.exists("small.study/report.html"), f"{action} --json {name}: {done.stderr}")
check(held == {f: open(f"small.study/{f}").read() for f in held}, "--json wrote into the study")
# A disk that fails in the middle: runs that cannot be read are not forgotten.
for name in "results.jsonl", "plan.lock":
    for action in "status", "report":
        whole_lines = open(f"small.study/{name}").read().index("\n", 300) + 1
        done = subprocess.run([orrery, "study", action, "small.json"], capture_output=True, text=True, env={
            **os.environ, "LD_PRELOAD": os.environ["FAULTS"], "FAULT_READ": f"small.study/{name}:{whole_lines}:1",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"})
        check(done.returncode == 3 and f"{name}: Input/output error" in done.stderr and not done.stdout, f"{action}, {name}: {done.returncode} {done.stdout}{done.stderr}")
write("small.json", {**plan, "blocks": 8})
told, size = json.loads(study("plan", "small.json", "--json", "-", "-q").stdout), os.path.getsize("small.study/results.jsonl")
check(told["memory"] == max(r["rss"] for r in whole) and abs(told["disk"] / (2 * size) - 1) < 1e-6, f"twice {size} bytes: {told}")
check("MiB of memory at most; results.jsonl will have" in study("plan", "small.json").stdout, "memory and disk of a plan")
write("small.json", {**plan, "blocks": 5})
study("run", "small.json", "-q")
check([r["id"] for r in rows("small.study")[:24]] == [r["id"] for r in whole] and len(lines("log")) == 30, "one more block")
write("small.json", plan)

# Where no study was begun nothing is taken for one's own.
for name in "results.jsonl", "runs", "report.html", "samples.csv", "points.svg":
    os.makedirs("others/" + name + "/deep")
    write("others/" + name + "/deep/data", "precious")
    done = study("run", "small.json", "--out", "others", code=3)
    check(f"others/{name} is there, but no study was begun" in done.stderr, f"{name}: {done.stderr}")
    check(os.listdir("others") == [name] and open(f"others/{name}/deep/data").read() == "precious", f"{name}: {os.listdir('others')}")
    shutil.rmtree("others")
os.mkdir("others")
write("others/notes.txt", "mine")
log = open("log").read()
study("run", "small.json", "--out", "others", "--runs", "1", "-q")
write("log", log)
check(len(rows("others")) == 1 and open("others/notes.txt").read() == "mine", "a directory with other files")
shutil.rmtree("others")

# What has changed is told.
for other in {"seed": 6}, {"timeout": 99}, {"factors": {**plan["factors"], "n": [10, 30]}}, {"env": {"A": "b"}}:
    write("other.json", {**plan, **other})
    for action in "run", "status", "plan":
        done = study(action, "other.json", code=3)
        check("now:" in done.stderr, f"{other}: {done.stderr}")
write("tool.sh", open("tool.sh").read() + "#\n", 0o755)
check("tool.sh" in study("run", "small.json", code=3).stderr, "another program")
study("status", "small.json", "-q")
os.rename("tool.sh", "gone.sh")  # a study is read where its programs are not
for action in "status", "plan", "report":
    study(action, "small.json", "-q")
check("small.json:" in study("run", "small.json", code=3).stderr, "a program that is gone")
os.rename("gone.sh", "tool.sh")
write("tool.sh", open("tool.sh").read()[:-2], 0o755)
study("run", "small.json", "-q")

# A line that is not whole is cut; one that is wrong is refused with its number.
text = open("small.study/results.jsonl").read()
write("small.study/results.jsonl", text[:-40])
check("not whole" in study("status", "small.json").stderr, "status and a torn line")
done = study("run", "small.json")
check("not whole" in done.stderr and len(lines("log")) == 30, f"blocks beyond the plan are left alone: {done.stderr}")
full = text.splitlines(True)
write("small.study/results.jsonl", "".join(full[:23]) + full[23][:100])
study("run", "small.json", "-q")
check([r["id"] for r in rows("small.study")] == [r["id"] for r in whole] and len(lines("log")) == 31, "a torn line is made again")
for bad in full[3], "{}\n", "x\n", "\n", full[3].replace('"block":1', '"block":2', 1), full[3].replace('"id":"', '"id":"0', 1):
    write("small.study/results.jsonl", "".join(full[:24]) + bad)
    done = study("status", "small.json", code=3)
    check("results.jsonl:25:" in done.stderr, f"line 25: {bad!r}: {done.stderr}")
write("small.study/results.jsonl", "".join(full[:24]))


# ---- Killed ------------------------------------------------------------------------------------------------------
def runner(*words):
    return subprocess.Popen([orrery, "study", "run", *words, "-q"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                            env={**os.environ, "LOG": os.path.abspath("killed.log"), "PAUSE": "0.02"})


def started():
    return len(lines("killed.log"))


rest, kills, goal = random.Random(7), 0, 200 if long else 8
write("killed.json", {**plan, "blocks": max(4, goal)})
for k in range(goal):
    child, seen = runner("killed.json", "-o", "killed"), started()
    while child.poll() is None and started() == seen:
        time.sleep(0.001)
    time.sleep(rest.random() * 0.05)
    child.send_signal([signal.SIGKILL, signal.SIGINT, signal.SIGTERM][k % 3] if k % 4 == 3 else signal.SIGKILL)
    child.wait()
    kills += child.returncode < 0
    check(child.returncode <= 0, f"exit code {child.returncode} of a killed runner: {child.stderr.read()}")
check(kills >= goal / 2, f"the runner was killed {kills} times only")
child = runner("killed.json", "-o", "killed")
check(child.wait() == 0, f"the last runner: {child.stderr.read()}")
study("run", "killed.json", "-q", "-o", "unkilled")
ids = lambda directory: [r["id"] for r in rows(directory)]
check(ids("killed") == ids("unkilled"), "ids of a study that was killed and of one that was not")
begun = lines("killed.log")
check(len(begun) <= len(ids("killed")) + kills, f"{len(begun)} runs began for {len(ids('killed'))} rows and {kills} kills")
print(f"killed {kills} times: {len(ids('killed'))} rows, {len(begun)} runs began")

# ---- Two runners, and what a run leaves behind -------------------------------------------------------------------------
os.mkfifo("gate")
write("gate.sh", '#!/bin/sh\nread x <gate\necho "$x"\n', 0o755)
write("gate.json", {**plan, "name": "gate", "run": "./gate.sh {n} {how}", "pattern": "^([0-9.]+)$", "blocks": 1})
first = runner("gate.json")
with open("gate", "w") as f:  # open: a run is reading
    done = study("run", "gate.json", code=6)
    check("another" in done.stderr, done.stderr)
    first.kill()
    first.wait()
with open("killed/runner") as held: # as a child of a runner that was killed holds it, until it is gone, too
    fcntl.flock(held, fcntl.LOCK_EX)
    second = runner("killed.json", "-o", "killed")
    time.sleep(0.3)
    check(second.poll() is None, f"a lock that was held for a moment: {second.poll()}")
    fcntl.flock(held, fcntl.LOCK_UN)
check(second.wait() == 0, f"after a lock that was held for a moment: {second.stderr.read()}")
study("status", "gate.json")
check(not os.path.exists("gate.study/results.jsonl") or not rows("gate.study"), "a row of a run that was killed")

# ---- Runs that go wrong ----------------------------------------------------------------------------------------------
write("bad.sh", """#!/bin/sh
case $1 in
exit) echo "this went wrong" >&2; exit 7;;
signal) kill -KILL $$;;
late) sleep 1000 & wait;;
silent) exit 0;;
other) echo "a warning" >&2; echo "nine point five";;
zero) echo 0;;
good) echo 3;;
esac
""", 0o755)
write("bad.json", {"study": 1, "name": "bad", "run": "./bad.sh {how}", "pattern": "([0-9]+)", 
                   "factors": {"how": ["exit", "signal", "silent", "zero", "good"]}, "blocks": 1})
write("late.json", {"study": 1, "name": "late", "run": "./bad.sh {how}", "factors": {"how": "late"}, "blocks": 1, "timeout": 0.5})
done = study("run", "bad.json", code=1)
check("block 1 of 1; " in done.stderr and "about" not in done.stderr, f"nothing is left: {done.stderr}")
# The first one that goes wrong is told at once, with its command and what it said; a study of hours may be in vain.
for how, status, said in (("exit", "failed, exit code 7", "this went wrong"), ("signal", "signal 9", ""), ("zero", "no measure above zero", "0"),
                          ("other", "nothing that it printed matches the pattern", "nine point five")):
    write("first.json", {"study": 1, "name": f"first-{how}", "run": "./bad.sh {how}", "pattern": "([0-9]+)", "factors": {"how": ["good", how]}, "blocks": 3})
    told = study("run", "first.json", code=1).stderr
    check(told.count(f"first-{how}: block ") == 4 and f", how={how}: {status}: ./bad.sh {how}\n" in told, f"the first failure of three: {told}")
    check(f"orrery:   {said}\n" in told if said else "orrery:   " not in told, f"what it said: {told}")
    row = next(r for r in rows(f"first-{how}.study") if r["status"] != "ok")
    check(row["said"].strip() == said, f"the row: {row}")
check(study("run", "bad.json", "-o", "quiet.study", "-q", code=1).stderr == "", "quiet")
write("none.json", {"study": 1, "name": "none", "run": ["sh", "-c", "echo '{{\"x\": 3}}' >$0", "{record}", "{n}"], "measure": "y", "factors": {"n": [1]}, "blocks": 1})
check("the record has no such number" in study("run", "none.json", code=1).stderr, "a number that the record lacks")
write("never.json", {"study": 1, "name": "never", "run": "./bad.sh {how}", "factors": {"how": ["exit", "signal"]}, "blocks": 2, "compare": {"factor": "how"},
                     "published": [{"at": {"how": "exit"}, "value": 3, "source": "a paper"}]})
study("run", "never.json", "-q", code=1)
told = study("report", "never.json").stdout
html = open("never.study/report.html").read()
check("a run was not ok" in told and "how=exit: published 3, not known here (a paper)" in told and "agree" not in told and "not known here" in html
      and "nan" not in told and "nan<" not in html and "nan %" not in html, f"a comparison without runs: {told}")
check("neither a file nor a plan that comes with Orrery" in study("plan", "zouh", code=3).stderr, "a plan that nobody has")
study("run", "late.json", code=1)
got = {r["factors"]["how"]: r for r in rows("bad.study") + rows("late.study")}
check({k: r["status"] for k, r in got.items()} == {"exit": "failed", "signal": "signal", "late": "timeout", "good": "ok",
      "silent": "nothing that it printed matches the pattern", "zero": "no measure above zero"}, f"{got}")
if long:  # one that does not heed SIGTERM
    write("deaf.sh", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n", 0o755)
    write("deaf.json", {"study": 1, "name": "deaf", "run": "./deaf.sh {how}", "factors": {"how": "late"}, "blocks": 1, "timeout": 0.5})
    study("run", "deaf.json", "-q", code=1)
    (r,) = rows("deaf.study")
    check(r["status"] == "timeout" and r["signal"] == 9 and r["wall"] >= 5, f"{r}")
check(got["exit"]["exit"] == 7 and "this went wrong" in got["exit"]["said"] and got["signal"]["signal"] == 9, f"{got}")
check("4 not ok" in study("status", "bad.json").stdout, "status of failures")
study("run", "bad.json", "-q")
check(len(rows("bad.study")) == 5, "failures are made again")

# ---- Records, words, preparation -------------------------------------------------------------------------------------
write("made.sh", '#!/bin/sh\necho "$1" >>prepared.log\necho "$1" >"$2"\n', 0o755)
write("record.sh", """#!/bin/sh
printf '{"a": {"b": %s},\\n "words": %s, "text": "\\\\"\\\\n"}\\n' "$(cat "$2")" $(($# - 2)) >$1
[ "$SOME" = "thing" ]
""", 0o755)
write("record.json", {"study": 1, "name": "record", "run": ["./record.sh", "{record}", "{store}/in-{n}", "{words}", "{{x}}", "x{words}", "{seed}", "{block}"],
                      "prepare": "./made.sh {n} {store}/in-{n}", "measure": "a.b", "env": {"SOME": "thing"}, "files": ["tool.sh"], "seed": 40,
                      "factors": {"n": [3, 4], "words": {"none": "", "two": "a 'b c'"}}, "blocks": 2})
study("run", "record.json", "-q", "--runs", "3")
check(len(rows("record.study")) == 3, "--runs 3")
study("run", "record.json", "-q")
for r in rows("record.study"):
    two = r["factors"]["words"] == "two"
    check(r["status"] == "ok" and r["value"] == int(r["factors"]["n"]) == r["record"]["a"]["b"], f"a record: {r}")
    check(r["command"][3:] == (["a", "b c"] if two else []) + ["{x}", "xa 'b c'" if two else "x", str(40 + r["block"]), str(r["block"])],
          f"words of a command: {r['command']}")
    check(r["record"]["text"] == '"\n', f"a text in a record: {r['record']}")
check(sorted(lines("prepared.log")) == ["3", "4"], f"prepared: {lines('prepared.log')}")
write("tool.sh", open("tool.sh").read() + "#\n", 0o755)
check("tool.sh" in study("run", "record.json", code=3).stderr, "a file that has changed")

# ---- Looks -----------------------------------------------------------------------------------------------------------
# "same" is the same time plus what the block makes of it, "twice" takes twice as long: decided at the first look that can tell.
write("looks.sh", '#!/bin/sh\necho "$1 $2" >>looks.log\ncase $2 in a) echo "10$(($1 % 3))";; b) echo "20$((($1 + 1) % 3))";; c) echo "10$((($1 + 2) % 3))";; esac\n', 0o755)
looks = {"study": 1, "name": "looks", "run": "./looks.sh {block} {how}", "pattern": "([0-9]+)", "factors": {"how": ["a", "b", "c"]},
         "blocks": 40, "looks": [4, 10, 20], "compare": {"factor": "how", "baseline": "a", "margin": "5%"}}
write("looks.json", looks)
out = study("plan", "looks.json").stdout
check("it ends after 4, 10, 20 and 40 blocks" in out and "the look after 4 cannot tell anything apart: at least 10" in out, out)
study("run", "looks.json", "-q", "--runs", "15")
state = json.loads(study("status", "looks.json", "--json", "-", "-q").stdout)
check((state["whole"], state["decided"]) == (5, 0), f"{state}")
for again in range(2):  # the second makes no run
    study("run", "looks.json", "-q")
    check(len(rows("looks.study")) == 30 == len(open("looks.log").readlines()), f"{len(rows('looks.study'))} runs: it was to end after 10 blocks")
state = json.loads(study("status", "looks.json", "--json", "-", "-q").stdout)
check(state["decided"] == 10 and state["seconds_left"] == 0, f"{state}")
check("decided after 10 blocks" in study("status", "looks.json").stdout and "which need not be made" in study("run", "looks.json").stderr, "decided")
out = study("report", "looks.json").stdout
check("looked at after 4 and 10 of 40 blocks" in out and "SLOWER" in out and "SAME" in out and "UNDECIDED" not in out, out)
for other in {"looks": [10, 20]}, {"blocks": 50}:
    write("other.json", {**looks, **other})
    check("looks" in study("run", "other.json", code=3).stderr, f"{other}: other looks are another study")
for wrong in [], [0], [4, 4], [10, 4], [41], ["x"], [4.5], 4, list(range(1, 20)), [[4]]:
    write("mutant.json", {**looks, "looks": wrong})
    check("mutant.json:" in study("plan", "mutant.json", code=3).stderr, f"looks {wrong}")
write("mutant.json", {**looks, "exact": True})
check("one block tells all" in study("plan", "mutant.json", code=3).stderr, "looks of what is exact")
write("mutant.json", {k: v for k, v in looks.items() if k != "compare"})
check("nothing to be decided" in study("plan", "mutant.json", code=3).stderr, "looks without a comparison")
os.remove("mutant.json")

for action in "plan", "status", "report":
    write("mine.json", looks)
    check("mine.json is an input" in study(action, "mine.json", "--json", "./mine.json", code=2).stderr and json.load(open("mine.json")) == looks, f"{action}: the plan is written")
os.remove("mine.json")

# ---- Joules, by counters that the runs themselves move -------------------------------------------------------------------
os.makedirs("powercap/intel-rapl:0")
for name, text in ("name", "package-0"), ("energy_uj", "9000000"), ("max_energy_range_uj", "10000000"):
    write(f"powercap/intel-rapl:0/{name}", text + "\n")
write("burn.sh", """#!/bin/sh
sleep $2
[ $1 = 0 ] || echo $((($(cat powercap/intel-rapl:0/energy_uj) + $1) % 10000000)) >powercap/intel-rapl:0/energy_uj
""", 0o755)
energy = {"study": 1, "name": "joules", "run": "./burn.sh {uj} {seconds}", "measure": "cpu_joules", "blocks": 3,
          "factors": {"uj": [0, 3000000, 1500000], "seconds": {"long": "0.25", "short": "0"}}}
write("joules.json", energy)
os.environ.update(ORRERY_POWERCAP=os.path.abspath("powercap"), ORRERY_NVML="/nowhere/libnvidia-ml.so.1")
check("no cpu_joules" not in study("plan", "joules.json").stderr, "a plan of joules that can be read")
study("run", "joules.json", "-q", code=1)
for r in rows("joules.study"):
    want = int(r["factors"]["uj"]) / 1e6
    if r["wall"] < 0.2 or not want:  # too short to tell; a counter that stands still. A busy machine makes short runs long
        check(r["cpu_joules"] is None and r["status"] == "no measure above zero", f"{r}")
    else:
        check(r["factors"]["seconds"] == "short" or r["status"] == "ok", f"{r}")
        check(r["cpu_joules"] and abs(r["cpu_joules"] - want) < 1e-6 and r["value"] == r["cpu_joules"], f"{want} J: {r}")
    check(r["gpu_joules"] is None and r["provenance"]["energy_cpu"] == "RAPL: package-0" and "libnvidia-ml" in r["provenance"]["energy_gpu"], f"{r}")
study("report", "joules.json", "-q")
check("cpu_joules" in open("joules.study/samples.csv").readline(), "samples.csv")
os.environ["ORRERY_POWERCAP"] = "/nowhere"
check("/nowhere: No such file" in study("run", "joules.json", "-o", "none", code=77).stderr and not os.path.exists("none"), "a study of joules that cannot be read")
plan = study("plan", "joules.json", "-o", "none", code=77)
check("no cpu_joules here: /nowhere: No such file" in plan.stderr and "6 points" in plan.stdout and not os.path.exists("none"), f"a plan of them: {plan}")
write("joules.json", {**energy, "measure": "gpu_joules"})
check("libnvidia-ml" in study("plan", "joules.json", "-o", "none", code=77).stderr, "a plan of joules of no device")
check("libnvidia-ml" in study("run", "joules.json", "-o", "none", code=77).stderr and not os.path.exists("none"), "joules of no device")
del os.environ["ORRERY_POWERCAP"], os.environ["ORRERY_NVML"]

# This orrery, by its name.
write("own.json", {"study": 1, "name": "own", "run": "orrery heevj --n {n} --batch 4 --cpus 1 --repeat 2 --json {record} -q",
                   "factors": {"n": [4, 8]}, "blocks": 1})
study("run", "own.json", "-q")
for r in rows("own.study"):
    check(r["status"] == "ok" and r["value"] == r["record"]["seconds"]["median"] and r["record"]["n"] == int(r["factors"]["n"]), f"{r}")
if yaml:
    write("tool.sh", open("tool.sh").read()[:-2], 0o755)
    study("run", "small.yaml", "-q", "-o", "yaml")
    check([(r["point"], r["value"]) for r in rows("yaml")] == [(r["point"], r["value"]) for r in whole], "YAML and JSON")

# Values of several words may have placeholders, too; runs that are exact; the plans that come with the command.
write("exact.json", {"study": 1, "name": "exact", "run": "./tool.sh {how}", "pattern": "took ([0-9.]+) s", "exact": True, "blocks": 1,
                     "factors": {"how": {"a": "{block} 1 {seed}", "b": "{block} 2 {seed}"}}, "compare": {"factor": "how", "baseline": "a"}})
study("run", "exact.json", "-q")
check([r["command"][1:] for r in sorted(rows("exact.study"), key=lambda r: r["point"])] == [["1", "1", "2"], ["1", "2", "2"]], "placeholders in values")
(e,) = [json.loads(line) for line in study("report", "exact.json", "--json", "-", "-q").stdout.splitlines()]
check(e["verdict"] == "SLOWER" and abs(e["ratio"]["median"] - 0.22 / 0.12) < 1e-6 and e["ratio"]["low"] == e["ratio"]["high"], f"{e}")
if yaml:
    study("run", "zhou", "-q")
    out = study("report", "zhou").stdout
    at = {tuple(r["factors"].values()): r["value"] for r in rows("zhou.study")}
    gains = [at[n, "gpu"] / at[n, "pairs"] for n in ("2", "4", "6")]
    check(abs(at["1", "pairs"] / 0.467 - 1) < 0.01 and all(abs(g - w) < 0.02 for g, w in zip(gains, (1.18, 1.20, 1.22))), f"zhou: {at}")
    check(out.count(": agrees (") == 5 and out.count(": does not agree (") == 9 and "SLOWER      1.499" in out, out)
    for name, points in ("bulge", 60), ("bulge-hb2st", 40), ("bulge-grain", 32), ("heteroprio", 18):
        check(json.loads(study("plan", name, "--json", "-", "-q").stdout)["points"] == points, name)
    if os.path.exists("/usr/share/starpu/perfmodels/sampling/codelets/45/chol_model_22.sirocco"):
        study("run", "heteroprio", "-q", "--runs", "18")
        at = {tuple(r["factors"].values()): r["value"] for r in rows("heteroprio.study")}
        for n, of in ("8", (1.452, 1.469, 1.111)), ("16", (1.170, 1.097, 1.008)), ("40", (1.094, 1.017, 1.001)):
            for sched, want in zip(("heft", "heteroprio", "heteroprio-spoliation"), of):
                check(abs(at[n, "0", sched] / want - 1) < 0.01, f"heteroprio {n} {sched}: {at[n, '0', sched]}, not {want}")
    else:
        check("starpu-examples" in study("run", "heteroprio", "-q", code=6).stderr, "models that are not there")
        print("skipped: no models of StarPU (starpu-examples)")

# The page: its plan, its commands, what it says that plan prints; what a program sees of our environment.
if yaml and sys.argv[2:] and not long:
    page = open(page).read()
    write("policies.yaml", re.search(r"```yaml\n(.*?)```", page, re.S).group(1))
    os.environ["PATH"] = os.path.dirname(orrery) + ":" + os.environ["PATH"]
    commands = re.search(r"```\n(orrery study plan.*?)```", page, re.S).group(1).splitlines()
    check([c.split()[2] for c in commands] == ["plan", "run", "status", "report"], f"commands of the page: {commands}")
    for c in commands:
        done = study(*c.split()[2:], *(["--runs", "3"] if " run " in c else []))
        if " plan " in c:
            check(done.stdout in page, f"what plan prints is not in the page: {done.stdout}")
    check([r["status"] for r in rows("policies.study")] == ["ok"] * 3 and all(r["record"]["sched"] == r["factors"]["sched"] for r in rows("policies.study")),
          f"runs of the page: {rows('policies.study')}")
write("environment.json", {"study": 1, "name": "environment", "run": ["sh", "-c", 'test "${{OPENBLAS_CORETYPE-none}}" = {was}'], "blocks": 1,
                           "factors": {"was": os.environ.get("OPENBLAS_CORETYPE", "none")}})
study("run", "environment.json", "-q")
finish("study")
