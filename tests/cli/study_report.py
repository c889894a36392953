"""orrery study report: what it says of samples whose truth is known, samples.csv, the page.

    study_report.py ORRERY [long]

Rows are those of a study of which one run was made; the others have the ids that follow from the plan and made-up values.

SPDX-License-Identifier: BSD-3-Clause"""
import csv, html.parser, json, math, os, random, shutil, statistics, subprocess, sys, tempfile, xml.dom.minidom

from checks import check, empty_directory, finish

orrery = os.path.abspath(sys.argv[1])
long = "long" in sys.argv[2:]
empty_directory()


def study(*words, code=0):
    done = subprocess.run([orrery, "study", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check(done.returncode == code, f"exit code {done.returncode}, not {code}: {words}: {done.stderr}")
    return done.stdout


def fnv(h, data):
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 % (1 << 64)
    return h


def begin(name, factors, blocks, **more):
    """A plan, of which one run is made; the row of a run, and what is hashed first."""
    plan = {"study": 1, "name": name, "run": "echo 1 " + " ".join("{%s}" % f for f in factors), "pattern": "^([0-9.]+)", "factors": factors,
            "blocks": blocks, "compare": {"factor": "name", "baseline": "a", "margin": "2%"}, **more}
    with open(f"{name}.json", "w") as f:
        json.dump(plan, f)
    study("run", f"{name}.json", "--runs", "1", "-q")
    with open(f"{name}.study/results.jsonl") as f:
        row = json.loads(f.readline())
    return row, fnv(0xcbf29ce484222325, open(f"{name}.study/plan.lock", "rb").read())


def fill(name, first, factors, blocks, value):
    """value(block, {factor: value}); None: the run failed"""
    row, seed = first
    points = [{}]
    for f, values in factors.items():
        points = [{**p, f: v} for p in points for v in values]
    with open(f"{name}.study/results.jsonl", "w") as f:
        for block in range(1, blocks + 1):
            for k, p in enumerate(points):
                label = " ".join(f"{a}={b}" for a, b in p.items())
                x = value(block, p)
                r = {**row, "id": "%016x" % fnv(fnv(seed, label.encode()), b"\n%d" % block), "block": block, "point": k, "order": k,
                     "factors": p, "value": x, "status": "ok" if x else "failed", "said": "it <broke> & fell" if not x else None}
                f.write(json.dumps(r) + "\n")


def effects(name):
    return [json.loads(line) for line in study("report", f"{name}.json", "--json", "-", "-q").splitlines()]


# ---- Intervals and verdicts of samples whose truth is known -----------------------------------------------------------------
trials, blocks, two = 400 if long else 40, 12, {"name": ["a", "b"]}
first = begin("known", two, blocks, spread=0.08)
told = json.loads(study("plan", "known.json", "--json", "-", "-q"))
detectable = told["detectable"]
r = random.Random(11)


def lognormal(truth, drift):
    return lambda block, p: 0.1 * (truth if p["name"] == "b" else 1) * math.exp(drift * block + r.gauss(0, 0.08))


count = {}
for what, truth in ("same", 1), ("detectable", 1 + detectable):
    held = different = 0
    for k in range(trials):
        fill("known", first, two, blocks, lognormal(truth, 0.05))
        (e,) = effects("known")
        held += e["ratio"]["low"] <= truth <= e["ratio"]["high"]
        different += e["verdict"] in ("FASTER", "SLOWER")
    count[what] = held, different
    print(f"{what}: truth {truth:.4f}, of {trials} studies of {blocks} blocks {held} intervals hold it, {different} say that they differ")
    # 2.6 standard deviations of 95 %
    check(abs(held / trials - 0.95) <= 2.6 * math.sqrt(0.95 * 0.05 / trials), f"{what}: {held} of {trials} intervals hold the truth")
told = json.loads(study("plan", "known.json", "--json", "-", "-q"))
check(told["spread_measured"] and 0.03 < told["spread"] < 0.16 and told["done"] == 2 * blocks, f"the spread of runs, 0.08: {told}")
check(count["same"][1] <= 0.05 * trials, f"{count['same'][1]} of {trials} studies of one program under two names say that they differ")
check(abs(count["detectable"][1] / trials - 0.8) <= 2.6 * math.sqrt(0.8 * 0.2 / trials), f"plan promised 80 %: {count['detectable']} of {trials}")

# ---- Looks: a study ends at the first that decides, and is wrong no more often ----------------------------------------------
plan = {"looks": [6, 12, 24], "spread": 0.08}
first = begin("looks", two, 48, **plan)
detectable = json.loads(study("plan", "looks.json", "--json", "-", "-q"))["detectable"]
count = {}
for what, truth in ("same", 1), ("large", 1 + 2 * detectable):
    held = different = 0
    blocks_used = []
    for k in range(trials):
        values = [(f("a"), f("b")) for block in range(48) for f in [lambda name: lognormal(truth, 0.05)(block, {"name": name})]]
        for end in 6, 12, 24, 48:
            fill("looks", first, two, end, lambda block, p: values[block - 1][p["name"] == "b"])
            (e,) = effects("looks")
            if e["verdict"] != "UNDECIDED":
                break
        blocks_used.append(end)
        held += e["ratio"]["low"] is not None and e["ratio"]["low"] <= truth <= e["ratio"]["high"]
        different += e["verdict"] in ("FASTER", "SLOWER")
    count[what] = different
    print(f"looks, {what}: truth {truth:.4f}, of {trials} studies {held} intervals hold it, {different} say that they differ, "
          f"after {statistics.mean(blocks_used):.1f} of 48 blocks")
    # at least 95 %, less 2.6 standard deviations
    check(held / trials >= 0.95 - 2.6 * math.sqrt(0.95 * 0.05 / trials), f"looks, {what}: {held} of {trials} intervals hold the truth")
    check(what == "same" or (statistics.mean(blocks_used) < 30 and different >= 0.9 * trials), f"a large difference: {blocks_used}")
check(count["same"] <= 0.05 * trials + 2.6 * math.sqrt(0.05 * 0.95 * trials), f"{count['same']} of {trials} studies of one program differ")
fill("looks", first, two, 5, lognormal(1, 0))
(e,) = effects("looks")
check(e["verdict"] == "UNDECIDED" and e["note"] == "the first look is still to come" and e["ratio"]["low"] is None and e["looks"] == 0, f"{e}")
fill("looks", first, two, 20, lambda block, p: 1 if block <= 12 else 1 + (p["name"] == "b"))
(e,) = effects("looks")
check(e["pairs"] == 12 and e["looks"] == 2 and e["verdict"] == "SAME", f"blocks after the last look do not count: {e}")
fill("looks", first, two, 48, lambda block, p: (1 if block <= 12 else 3 if p["name"] == "b" else 1) + 1e-3 * block)
(e,) = effects("looks")
check(e["verdict"] == "UNDECIDED" and e["note"] == "the looks contradict each other", f"{e}")

# ---- Several cases: ranks, samples.csv, the page ------------------------------------------------------------------------------
cases = {"n": ["10", "20"], "name": ["a", "b", "c"]}
first = begin("cases", cases, 16, question="a < b & c?", published=[
    {"at": {"n": 10, "name": "a"}, "value": 0.1, "within": "50%", "source": "made up"},
    {"at": {"n": 20, "name": "b"}, "ratio": 3, "source": "wrong <here>"}])
truth = {"a": 1, "b": 1.2, "c": 1.0}
noise = lambda block, p: 0.01 * int(p["n"]) * truth[p["name"]] * math.exp(0.02 * block + r.gauss(0, 0.01))
fill("cases", first, cases, 16, noise)
got = {e["compare"]: e for e in effects("cases")}
check(set(got) == {f"{w}: {x} over a" for w in ("n=10", "n=20", "over all cases") for x in "bc"}, f"{list(got)}")
for name, e in got.items():
    want = 1.2 if ": b" in name else 1
    check(e["verdict"] == ("SLOWER" if want > 1 else e["verdict"]) and e["verdict"] != "FASTER" and e["pairs"] == 16, f"{e}")
    check(abs(e["ratio"]["median"] / want - 1) < 0.03 and e["ratio"]["low"] <= e["ratio"]["median"] <= e["ratio"]["high"], f"{e}")
out = study("report", "cases.json")
check("n=10 name=a: published 0.1, here" in out and "agrees (made up)" in out and "does not agree (wrong <here>)" in out, out)

with open("cases.study/samples.csv") as f:
    samples = list(csv.DictReader(f))
check(len(samples) == 96 and {"study", "id", "block", "n", "name", "value", "wall", "machine", "git", "status"} <= set(samples[0]), f"{samples[:1]}")
for (n, name) in (("10", "b"), ("20", "c")):  # the estimate again: the median of the means of two differences
    value = {(s["n"], s["name"], int(s["block"])): math.log(float(s["value"])) for s in samples}
    d = [value[n, name, b] - value[n, "a", b] for b in range(1, 17)]
    middle = math.exp(statistics.median((x + y) / 2 for i, x in enumerate(d) for y in d[i:]))
    check(abs(middle / got[f"n={n}: {name} over a"]["ratio"]["median"] - 1) < 1e-6, f"{n} {name}: {middle} from samples.csv")


# The figures as files: whole pictures, and tables of what they show.
for name, dots in ("effects", 6), ("points", 96), ("drift", 96):
    picture = xml.dom.minidom.parse(f"cases.study/{name}.svg")
    check(picture.documentElement.namespaceURI == "http://www.w3.org/2000/svg" and len(picture.getElementsByTagName("circle")) == dots, f"{name}.svg")
with open("cases.study/effects.csv") as f:
    table = {e["compare"]: e for e in csv.DictReader(f)}
check(set(table) == set(got), f"{table}")
for name, e in got.items():
    t = table.get(name, {})
    check([t.get(k) for k in ("study", "a", "b", "verdict", "blocks", "note")] == ["cases", e["a"], e["b"], e["verdict"], "16", e["note"] or ""] and
          all(abs(float(t[k]) - e["ratio"][of]) < 1e-8 for k, of in (("ratio", "median"), ("low", "low"), ("high", "high"))), f"{t} {e}")
with open("cases.study/points.csv") as f:
    table = list(csv.DictReader(f))
check([(t["n"], t["name"]) for t in table] == [(n, x) for n in ("10", "20") for x in "abc"], f"{table}")
for t in table:
    v = [float(s["value"]) for s in samples if (s["n"], s["name"]) == (t["n"], t["name"])]
    check(all(abs(float(t[k]) - x) < 1e-8 for k, x in (("median", statistics.median(v)), ("least", min(v)), ("most", max(v)))) and
          (t["runs"], t["not_ok"]) == ("16", "0"), f"{t}")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.wrong = [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)
        for key, value in attrs:
            if key in ("src", "href", "onclick", "onload") and value != "data:,":
                self.wrong.append(f"{tag} {key}={value}")

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_data(self, data):
        self.text += data


def page_of(name):
    text = open(f"{name}.study/report.html").read()
    page = Page(text)
    check(not page.wrong and not page.open, f"{name}: {page.wrong} {page.open}")
    check("<script" not in text and "://" not in text and "url(" not in text and "nan" not in text.split("<pre>")[0].lower(), f"{name}: a script, an address, NaN")
    return page.text, text


text, source = page_of("cases")
for e in got.values():
    check(f"{e['ratio']['median']:.4g}"[:6] in text and e["verdict"] in text, f"{e} is not in the page")
check("a < b & c?" in text and "wrong <here>" in text and "does not agree" in text, "texts of the plan")
browser = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
if browser:
    with tempfile.TemporaryDirectory() as d:
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
                               "--host-resolver-rules=MAP * ~NOTFOUND", f"--log-net-log={d}/net.json", f"--user-data-dir={d}/user",
                               "file://" + os.path.abspath("cases.study/report.html")], capture_output=True, text=True, timeout=600)
    check("ERROR:CONSOLE" not in done.stderr, f"{browser}: {done.stderr[-300:]}")
    check(done.stdout.count("<circle") == source.count("<circle") > 100, f"{browser} does not draw what is in the page")
else:
    print("skipped: no Chromium to open the page in")

# What cannot be told apart is not ranked; without a baseline all pairs are compared.
first = begin("columns", {"machine": ["x"], "name": ["a", "b"]}, 6, compare={"factor": "name"})
study("run", "columns.json", "-q")
study("report", "columns.json", "-q")
with open("columns.study/samples.csv") as f:
    check(all(s["factor_machine"] == "x" and s["machine"] not in ("", "x") for s in csv.DictReader(f)), "a factor that is called machine")
with open("columns.study/points.csv") as f:
    check([(s["machine"], s["name"], s["runs"]) for s in csv.DictReader(f)] == [("x", "a", "6"), ("x", "b", "6")], "points.csv")
first = begin("pairs", {"name": ["a", "b", "c"]}, 20, compare={"factor": "name"})
fill("pairs", first, {"name": ["a", "b", "c"]}, 20, lambda block, p: truth[p["name"]] * math.exp(r.gauss(0, 0.03)))
got = effects("pairs")
check([(e["a"], e["b"]) for e in got] == [("a", "b"), ("a", "c"), ("b", "c")] and
      [e["verdict"] for e in got if e["b"] == "c" and e["a"] == "b" or e["b"] == "b"] == ["SLOWER", "FASTER"], f"{got}")
# Labels that are longer than there is room beside a chart: its beginning and its end, of whole characters, and all of it in the title.
labels = {"name": ["a", "b"], "k": ["x" * n + "\u4e00" * 24 + c + "y" * 30 for n in range(4) for c in "pq"] + ["short", "s" * 42]}
begun = begin("labels", labels, 8)
fill("labels", begun, labels, 8, lambda block, p: 1)
study("report", "labels.json", "-q")
for name in "effects", "points":
    rows = [e for e in xml.dom.minidom.parse(f"labels.study/{name}.svg").getElementsByTagName("text") if e.getAttribute("x") == "322"]
    for e in rows:
        seen, title = e.firstChild.data, [c.firstChild.data for c in e.getElementsByTagName("title")]
        check(sum(6.5 if c < "\x80" else 12 for c in seen) <= 322, f"{name}: '{seen}' is too long")
        check(not title or title[0].startswith(seen[:seen.index("...")]) and title[0].endswith(seen[seen.index("...") + 3:]), f"{name}: {seen} of {title}")
    check(len(rows) >= 20 - 9 * (name == "effects") and len({e.firstChild.data for e in rows if "..." in e.firstChild.data}) >= 4, f"{name}: {len(rows)} rows")
with open("alone.json", "w") as f:
    json.dump({"study": 1, "name": "alone", "run": "echo 1 {name}", "pattern": "^([0-9.]+)", "factors": {"name": ["a, \"b\""]}, "blocks": 1}, f)
study("run", "alone.json", "-q")
study("report", "alone.json")
check(not os.path.exists("alone.study/effects.svg") and not os.path.exists("alone.study/effects.csv"), "nothing is compared")
with open("alone.study/points.csv") as f:
    check([(s["name"], s["runs"]) for s in csv.DictReader(f)] == [("a, \"b\"", "1")], "a value with a comma and quotes")
text = page_of("pairs")[0]
check("1 to 2" in text[text.index("Ranks"):], f"ranks of a and c: {text[text.index('Ranks'):][:300]}")

# What a plan tells of large studies has no exponents.
begun = begin("large", {"name": ["a", "b"]}, 3, timeout=3000)
begun[0].update(wall=55.2, rss=3 << 30)
fill("large", begun, {"name": ["a", "b"]}, 2, lambda block, p: 1)
said = study("plan", "large.json")
check("4 are done; the others take about 110 s; at most 100 min" in said, said)
check("3072 MiB of memory at most; results.jsonl will have 0.0" in said, said)
check("about 110 s left" in study("status", "large.json"), "status of a large study")
shutil.rmtree("large.study")

# A run that failed, blocks that are too few or not whole, none at all.
fill("pairs", first, {"name": ["a", "b", "c"]}, 20, lambda block, p: None if (block, p["name"]) == (3, "b") else 1)
got = {(e["a"], e["b"]): e for e in effects("pairs")}
check(got["a", "b"]["verdict"] == "UNDECIDED" and got["a", "b"]["lacking"] == 1 and got["a", "c"]["verdict"] == "SAME", f"{got}")
check("it <broke> & fell" in page_of("pairs")[0], "what a failed run said")
fill("pairs", first, {"name": ["a", "b", "c"]}, 5, lambda block, p: 1 + (p["name"] == "b"))
check(all(e["verdict"] == "UNDECIDED" and e["ratio"]["low"] is None for e in effects("pairs")), "verdicts of 5 blocks")
check("not finished" in page_of("pairs")[0], "a study that is not finished")
open("pairs.study/results.jsonl", "w").close()
study("report", "pairs.json", code=3)
finish("study report")
