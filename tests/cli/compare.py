"""orrery compare: verdicts on made records, pairs, what belongs together, and lines that are no records.

    compare.py ORRERY

SPDX-License-Identifier: BSD-3-Clause"""
import json, math, os, random, subprocess, sys

from checks import call, check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
empty_directory()


def compare(*words):
    return call(orrery, "compare", *words)


def record(samples, time="2026-01-01T00:00:00Z", command="orrery hb2st --n 512 --json r.jsonl", **more):
    r = {"algo": "hb2st", "type": "d", "n": 512, "m": None, "band": 32, "batch": None, "sched": "lws",
         "workers": {"cpu": 2, "cuda": 0, "opencl": 0}, "samples": samples, "status": "ok", "plan": {"D": 64},
         "provenance": {"machine": "here", "command": command, "time": time}}
    r.update(more)
    return r


def write(name, *records):
    with open(name, "w") as f:
        f.writelines(json.dumps(r) + "\n" for r in records)


def times(seed, n, factor=1.0, spread=0.02):
    r = random.Random(seed)
    return [0.1 * factor * math.exp(spread * r.gauss(0, 1)) for _ in range(n)]


def verdict(*words):
    code, out, err = compare(*words, "--json", "-")
    lines = [json.loads(line) for line in out.splitlines()]
    check(len(lines) == 1, f"one case, not {len(lines)}: {words}: {err}")
    return (code, lines[0]["verdict"], lines[0]) if lines else (code, None, {})


# Verdicts
write("a", record(times(1, 30)))
for name, factor, n, want in ("same", 1, 40, "SAME"), ("slow", 1.05, 30, "SLOWER"), ("fast", 0.9, 30, "FASTER"), \
        ("few", 1.05, 5, "UNDECIDED"):
    write(name, record(times(2, n, factor)))
    code, seen, line = verdict("a", name)
    check(seen == want and code == (want == "SLOWER"), f"{name}: {seen}, exit code {code}")
    check((line["ratio"]["low"] is None) == (n < 6), f"{name}: an interval of {n} samples")
    if n >= 6:
        check(line["ratio"]["low"] <= line["ratio"]["median"] <= line["ratio"]["high"], f"{name}: {line}")
code, seen, line = verdict("a", "a")
check(seen == "SAME" and code == 0 and line["ratio"] == {"median": 1, "low": 1, "high": 1}, f"a with itself: {line}")
write("noisy", record(times(3, 8, 1.03, 0.2)))
check(verdict("a", "noisy")[:2] == (0, "UNDECIDED"), "noise is not undecided")
check("1 of 1 cases have one record" in compare("a", "slow")[2] and not compare("a", "a")[2], "what one record tells")
check(verdict("a", "slow", "--threshold", "20%")[:2] == (0, "SAME"), "5 % within 20 %")
check(verdict("a", "slow", "--threshold", "0.2")[:2] == (0, "SAME"), "5 % within 0.2")
write("bad status", record(times(2, 30, 1.05), status="not converged"))
check(verdict("a", "bad status")[:2] == (0, "UNDECIDED"), "times of a run that did not converge")

# What the interval promises, through the whole command: the truth is in 95 % of 200 intervals (error 1.5 %).
names = [f"orrery hb2st --n 512 --seed {k}" for k in range(200)]
write("x", *(record(times(2 * k + 1000, 12, 1, 0.08), command=c) for k, c in enumerate(names)))
write("y", *(record(times(2 * k + 1001, 12, 1.05, 0.08), command=c) for k, c in enumerate(names)))
code, out, err = compare("x", "y", "--json", "-")
lines = [json.loads(line) for line in out.splitlines()]
held = sum(r["ratio"]["low"] <= 1.05 <= r["ratio"]["high"] for r in lines)
print(f"{held} of {len(lines)} intervals hold the truth (181 to 199)")
check(len(lines) == 200 and 181 <= held <= 199, f"{held} of {len(lines)} intervals")

# Several records of a case: one record is one unit, in pairs if taken in turn. A drift of 50 % hides 5 % unless
# they are.
drift = [1 + 0.05 * k for k in range(10)]
at = "2026-01-01T00:{:02}:{:02}Z".format
turn = [record(times(50 + k, 3, d, 0.005), at(k, 0)) for k, d in enumerate(drift)]
turn_b = [record(times(90 + k, 3, 1.05 * d, 0.005), at(k, 30)) for k, d in enumerate(drift)]
after = [record(r["samples"], at(20 + k, 0)) for k, r in enumerate(turn_b)]
write("turn", *turn), write("turn-b", *turn_b), write("after", *after)
code, seen, line = verdict("turn", "turn-b")
check((code, seen, line["paired"], line["units"], line["a"]["units"]) == (1, "SLOWER", True, "records", 10), f"in turn: {line}")
code, seen, line = verdict("turn", "after")
check((code, seen, line["paired"]) == (0, "UNDECIDED", False), f"one after the other: {line}")
write("three", *turn[:3])
check(verdict("three", "turn-b")[1] == "UNDECIDED", "three records")

# What belongs together
other = [("type", "s"), ("n", 513), ("band", 16), ("batch", 2), ("sched", "dmdas"), ("algo", "gb2bd"),
         ("workers", {"cpu": 1}), ("matrix", "a.mtx")]
for key, value in other:
    write("other", record(times(2, 30), **{key: value}))
    code, out, err = compare("a", "other")
    check(code == 3 and "no case is in both" in err and "a:1: only in this file" in err, f"{key}: {code} {err}")
write("seven", *[record(times(k, 30), n=n) for k, n in enumerate((600, 512, 600, 600, 700, 600))])
code, out, err = compare("a", "seven")
check([line for line in err.splitlines() if "only in" in line] == ["orrery: seven:1: and 3 more records: only in this file: hb2st d n 600 band 32 lws 2cpu",
      "orrery: seven:5: only in this file: hb2st d n 700 band 32 lws 2cpu"], f"a line for a case: {err}")
write("other", record(times(2, 30), sched="dmdas"))
check(verdict("a", "other", "--across", "sched")[0] == 0, "--across sched")
write("other", record(times(2, 30), workers={"cpu": 1}))
check(verdict("a", "other", "--across", "workers")[0] == 0, "--across workers")
write("other", record(times(2, 30), command="/opt/orrery hb2st -n 512 -r 7 --repeat=9 --trace t.svg -q --cpus 2 -v"))
check(verdict("a", "other")[0] == 0, "options that change nothing")
write("other", record(times(2, 30), command="orrery hb2st --n 512 --columns 64"))
check(compare("a", "other")[0] == 3 and verdict("a", "other", "--across", "options")[0] == 0, "options that do")
lists = "orrery hb2st --n 512 --columns 64,128"
write("p", record(times(1, 30), command=lists, plan={"D": 64, "predicted": 1}),
      record(times(2, 30, 2), command=lists, plan={"D": 128, "predicted": 2}))
write("q", record(times(3, 30, 2), command=lists, plan={"D": 128, "predicted": 3}),
      record(times(4, 30), command=lists, plan={"D": 64, "predicted": 4}))
code, out, err = compare("p", "q", "--json", "-", "-q")
check(code == 0 and [json.loads(r)["a"]["line"] for r in out.splitlines()] == [1, 2] and
      [json.loads(r)["b"]["line"] for r in out.splitlines()] == [2, 1], f"values of a list: {code} {out}{err}")

# Ratios that a double cannot hold
write("tiny", record([1e-320] * 6))
write("huge", record([1e300] * 6, at(1, 0)))
for words, expected in ((("tiny", "huge"), (1, "SLOWER", None)), (("huge", "tiny"), (0, "FASTER", 0))):
    code, out, err = compare(*words, "--json", "-", "-q")
    line = json.loads(out or '{"verdict": "none", "ratio": {"median": "none"}}')
    check((code, line["verdict"], line["ratio"]["median"]) == expected, f"{words}: {code} {out}{err}")

write("other", record(times(2, 30), method="jacobi"))
check(verdict("a", "other")[0] == 0, "another method was chosen")

# What is no object has no members with names
write("other", record(times(2, 30), command=lists, plan=[64], workers=[2]))
code, out, err = compare("other", "other")
check(code == 0 and "null" not in out, f"lists for plan and workers: {code} {out}{err}")

# Lines that are none: file and line, exit code 3, nothing on standard output
good = json.dumps(record(times(1, 8)))
bad = [("not JSON", "hello"), ("cut", good[:100]), ("half a string", good[:3]), ("a tail", good + "]"),
       ("a number", "1"), ("a list", "[]"), ("no algorithm", "{}"), ("no samples", '{"algo":"hb2st"}'),
       ("a text of samples", '{"algo":"h","samples":"1"}'), ("empty samples", '{"algo":"h","samples":[]}'),
       ("null", '{"algo":"h","samples":[1,null]}'), ("zero", '{"algo":"h","samples":[0]}'),
       ("negative", '{"algo":"h","samples":[1,-1]}'), ("too large", '{"algo":"h","samples":[1e999]}'),
       ("not a number", '{"algo":"h","samples":[NaN]}'), ("octal", '{"algo":"h","samples":[01]}'),
       ("escape", '{"algo":"\\x","samples":[1]}'), ("surrogate", '{"algo":"\\ud800","samples":[1]}'),
       ("deep", "[" * 100000), ("two commas", '{"algo":"h",,"samples":[1]}'), ("no value", '{"algo":}'),
       ("a comma at the end", '{"algo":"h","samples":[1,]}'), ("a zero byte", good + "\0")]
for what, line in bad:
    with open("bad", "w") as f:
        f.write(good + "\n\n" + line + "\n")
    for words in ("bad", "a"), ("a", "bad"):
        code, out, err = compare(*words, "--json", "-")
        check(code == 3 and "bad:3:" in err and not out, f"{what}: {code} {out}{err}")
for k in range(len(good)):
    with open("bad", "w") as f:
        f.write(good[:k])
    check(compare("bad", "a")[0] == 3, f"cut after {k} bytes")
with open("bad", "w") as f:
    f.write("# eigenvalues of a.npy: 3\n")
check("bad:1:1: not a value of JSON; records are the lines that --json FILE writes" in compare("bad", "a")[2], "results for records")
open("empty", "w").close()
check(compare("empty", "a")[0] == 3 and "no records" in compare("empty", "a")[2], "an empty file")
check(compare("none", "a")[0] == 3 and "none: cannot open: No such file" in compare("none", "a")[2], "no such file")
for words in ("a",), ("a", "a", "a"), ("a", "a", "--threshold", "2x"), ("a", "a", "--threshold", "-1%"), \
        ("a", "a", "--threshold", "nan"), ("a", "a", "--across", "n"), ("a", "a", "--json", "a"), ("-", "-"):
    check(compare(*words)[0] == 2, f"{words}: {compare(*words)}")



# Lines of orrery replay --on real: graph, policy, workers, and what tasks took
def replay(samples, **more):
    r = {"graph": "a.graph", "on": "real", "sched": "lws", "kernel": "spin", "tasks": 35, "workers": {"cpu": 2, "cuda": 0},
         "samples": samples, "makespan": 0.1, "truth": None}
    r.update(more)
    return r


truth = {"seed": 1, "noise": 0.2, "spikes": {"share": 0, "factor": 1}, "bias": [], "slow": None}
write("replay-a", replay(times(1, 30)), replay(times(2, 30), sched="dmdas"), replay(times(3, 30), truth=truth))
write("replay-b", replay(times(4, 30, 1.05), truth=truth), replay(times(5, 30, 0.9)), replay(times(6, 40), sched="dmdas"))
code, out, err = compare("replay-a", "replay-b", "--json", "-", "-q")
check(code == 1 and [(c["verdict"], c["a"]["line"], c["b"]["line"]) for c in map(json.loads, out.splitlines())] ==
      [("FASTER", 1, 2), ("SAME", 2, 3), ("SLOWER", 3, 1)], f"replays: {code} {out}{err}")
check(json.loads(out.splitlines()[0])["compare"] == "replay graph a.graph lws 2cpu kernel spin", f"replays: {out}")
bias = {**truth, "bias": [{"codelet": None, "kind": "cpu", "factor": 2}]}
# What a terminal would obey is not printed.
write("shell", replay(times(1, 30), graph="a\x1b[2J\n"), record(times(1, 30), command="orrery hb2st --kind x\x1b[2J\x07"))
code, out, err = call(orrery, "compare", "shell", "shell")
check(code == 0 and len(out.splitlines()) == 4 and "replay graph a?[2J? " in out and "--kind x?[2J?" in out, f"{code} {out!r} {err!r}")
write("one", replay(times(1, 30)))
for key, value in ("graph", "b.graph"), ("sched", "dmdas"), ("workers", {"cpu": 1}), ("kernel", "sleep"), ("truth", truth):
    write("other", replay(times(2, 30), **{key: value}))
    code, out, err = compare("one", "other")
    check(code == 3 and "no case is in both" in err, f"replays, {key}: {code} {err}")
for changed in {**truth, "seed": 2}, {**truth, "spikes": {"share": 0, "factor": 2}}, bias:
    write("one", replay(times(1, 30), truth=truth)), write("other", replay(times(2, 30), truth=changed))
    check(compare("one", "other")[0] == 3, f"{changed} is {truth}")
check(verdict("one", "other", "--across", "options")[0] == 0, "replays, --across options")
write("other", replay(None, on="list"))
check("other:1: " in compare("one", "other")[2], "a replay without samples")

# Real records, also those with times per step
for words in ("heevj --n 9 --batch 3", "powm --generate laplace3d:4", "pagerank --generate rmat:4:4", "gesvj --n 9 --count 2",
              "gb2bd --n 60 --band 5", "heev --n 40", "gesvd --n 40"):
    done = subprocess.run([orrery, *words.split(), "--cpus", "1", "--repeat", "6", "-q", "--json", "real"],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"{words}: {done.stderr}")
code, out, err = compare("real", "real", "--json", "-", "-q")
check(code == 0 and [json.loads(r)["verdict"] for r in out.splitlines()] == ["SAME"] * 7, f"real: {code} {out}{err}")
finish("compare")
