"""Judges what orrery --trace wrote: trace.py JSONL HTML PAJE CSV.

The page is parsed (elements closed, nothing fetched from elsewhere), its data compared with the
CSV; headless Chromium opens it and node runs its script if they are installed, else that part is
skipped and says so. The Paje file is replayed: states of a worker must alternate in time.

SPDX-License-Identifier: BSD-3-Clause"""
import csv, html.parser, json, re, shutil, subprocess, sys, tempfile

jsonl, page, paje, table = sys.argv[1:]
wrong = []


def check(good, what):
    if not good:
        wrong.append(what)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.script, self.data = [], "", ""

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            check(name not in ("src", "href", "srcset", "action"), f"the page refers to {value}")
        if tag not in ("meta", "link", "img", "br", "input"):
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        check(self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}")
        self.open.pop()

    def handle_data(self, text):
        if self.open and self.open[-1][0] == "script":
            if self.open[-1][1].get("id") == "data":
                self.data += text
            else:
                self.script += text


text = open(page, encoding="utf-8").read()
p = Page()
p.feed(text)
p.close()
check(not p.open, f"elements left open: {p.open}")
check("://" not in text, "the page names an address")
data = json.loads(p.data)
rows = list(csv.DictReader(open(table)))
check(len(rows) > 10, "the trace is too short to test")
record = [json.loads(line) for line in open(jsonl)][-1]

# The three files come from three runs of the same graph: as many tasks of each codelet.
count = {}
for r in rows:
    count[r["codelet"]] = count.get(r["codelet"], 0) + 1
of_page = {}
for t in data["tasks"]:
    name = data["names"][t[0]]
    of_page[name] = of_page.get(name, 0) + 1
    check(0 <= t[1] < len(data["workers"]) and t[2] <= t[4] <= t[5], f"task {t}")
check(of_page == count, f"tasks of the page {of_page}, of the table {count}")
shown = data["runs"][data["shown"]]
chain = [t for t in data["tasks"] if t[15] and t[8] == shown["number"]]
of_page = data["tables"][0]["rows"][0]
longest = sum(t[5] - t[4] for t in chain) * 1e-3
check(abs(longest - float(of_page[3])) < 1e-3 * longest + 1e-3, f"the longest chain takes {longest} ms, not {of_page}")
check(all(a[5] <= b[4] + 0.2 for a, b in zip(sorted(chain, key=lambda t: t[4]), sorted(chain, key=lambda t: t[4])[1:])),
      "tasks of the longest chain at the same time")
line = {b[0]: b[1] for b in shown["bounds"]}["longest chain"]
check(abs(line - 1e3 * longest) <= 1 + 0.2 * len(chain), f"lines {shown['bounds']}, not {1e3 * longest}")  # times are rounded
check(shown["moves"] == [] or len(data["nodes"]) > 1, "transfers with one memory")
check(any("bound: both (LP)" in t["head"] for t in data["tables"]), "no table of bounds")
for r in rows:
    check(float(r["ready_us"]) <= float(r["start_us"]) + 0.1 and float(r["wait_us"]) >= 0
          and float(r["stall_us"]) >= 0, f"times of {r}")
check(sorted(int(r["number"]) for r in rows) == list(range(len(rows))), "numbers of tasks")

b, tr = record["bound"], record["trace"]
check(0 < max(b["area"], b["critical_path"]) <= b["lp"] <= b["makespan"] * (1 + 1e-9), f"bound {b}")
check(b["solver"] == "own" and abs(b["ratio"] - b["makespan"] / b["lp"]) < 1e-6, f"ratio of {b}")
check({c["name"]: c["cpu"]["tasks"] for c in tr["codelets"]} == count, "codelets of the record")
w = tr["workers"]["cpu"]
whole = w["workers"] * b["makespan"]
check(abs(sum(w[k] for k in ("busy", "stalled", "starved", "unserved")) - whole) < 1e-6 * whole,
      f"times of the workers {w} make {whole}")

# Paje
state, values, begun = {}, set(), 0
defining = False
for line in open(paje):
    if line.startswith("%"):
        continue
    f = re.findall(r'"[^"]*"|\S+', line)
    if f[0] == "2":
        values.add(f[1])
    if f[0] == "3" and f[3] == "W":
        state[f[2]] = (0.0, None)
    if f[0] == "4":
        at, worker, value = float(f[1]), f[3], f[4]
        check(worker in state and value in values, f"paje: {line}")
        check(at >= state[worker][0], f"paje goes back in time: {line}")
        begun += value not in ("I", "D")
        state[worker] = (at, value)
check(begun == len(rows) and all(v == "I" for _, v in state.values()), f"paje: {begun} tasks, {state}")

# The script, on a document that only counts; then in a browser.
STUB = r"""
const made = {}, listeners = {}, texts = [];
const drawing = { fillText(text, x) { texts.push([String(text), x, this.textAlign]); },
                  measureText: (s) => ({ width: 7.2 * s.length }) };
const element = (tag) => ({ tag, style: {}, dataset: {}, clientWidth: 900, textContent: "", options: [], checked: false,
    selectedIndex: 0, listeners: {},
    appendChild(e) { this.options.push(e); },
    getContext: () => new Proxy(drawing, { get: (o, k) => k in o ? o[k] : () => {}, set: (o, k, v) => (o[k] = v, true) }),
    dispatchEvent(e) { this.listeners[e.type]({ target: { value: this.options[this.selectedIndex].value } }); },
    addEventListener(name, f) { this.listeners[name] = listeners[name] = f; } });
globalThis.document = { body: element(), createElement: element, getElementById: (id) => made[id] ??= element() };
globalThis.window = { devicePixelRatio: 1, innerWidth: 1000, addEventListener(name, f) { listeners[name] = f; } };
globalThis.Event = class { constructor(type) { this.type = type; } };
document.getElementById("data").textContent = require("fs").readFileSync(process.argv[2], "utf8");
(0, eval)(require("fs").readFileSync(process.argv[3], "utf8"));
const drawn = () => document.body.dataset.drawn, key = (key) => listeners.keydown({ key });
const all = drawn();
for (let i = 0; i < 9; i++) listeners.wheel({ preventDefault() {}, deltaY: -1, offsetX: 300 });
const some = drawn();
listeners.dblclick();
const again = drawn();
let read = 0, chain = 0;
for (let py = 20; py < 450; py += 5)
    for (let px = 110; px < 890; px++) {
        listeners.pointermove({ offsetX: px, offsetY: py, clientX: 0, clientY: 0 });
        const seen = made.tip.style.display === "block" && made.tip.textContent.includes("ran ");
        read += seen;
        chain += seen && made.tip.textContent.includes("on the longest chain");
    }
const colours = made.colour.options.map((o) => o.value), rows = made.rows.options.map((o) => o.value);
const legend = [];
for (const _ of colours) { key("k"); key("r"); legend.push(drawn()); }
key("c");
const ticked = made.critical.checked;
/* What is written stays within the page, also where that is narrow; numbers of the axes may be centred. */
const outside = [];
for (const wide of [900, 384]) {
    texts.length = 0;
    made.chart.clientWidth = wide;
    listeners.resize();
    for (const [text, x, align] of texts) {
        const w = 7.2 * text.length, from = align === "right" ? x - w : align === "center" ? x - w / 2 : x;
        if (from < -1 || from + w > wide + 1) outside.push([wide, text, from, from + w]);
    }
}
const runs = [];
for (const _ of made.run.options) { key("n"); runs.push(drawn()); }
console.log(JSON.stringify({ all, some, again, read, chain, colours, rows, legend, ticked, outside, runs,
                             command: made.command.textContent, verdict: made.verdict.textContent }));
"""
if shutil.which("node"):
    with tempfile.TemporaryDirectory() as d:
        for name, content in ("data", p.data), ("script", p.script), ("stub.js", STUB):
            open(f"{d}/{name}", "w").write(content)
        out = subprocess.run(["node", f"{d}/stub.js", f"{d}/data", f"{d}/script"],
                             capture_output=True, text=True, timeout=600)
    check(out.returncode == 0, f"the page's script fails: {out.stderr[-500:]}")
    if out.returncode == 0:
        o = json.loads(out.stdout)
        check(o["all"] == o["again"] == len(rows) and 0 <= o["some"] < o["all"], f"drawn {o}; {len(rows)} tasks")
        check(o["read"] > 100 and 0 < o["chain"] <= o["read"], f"hovered {o}")
        check(o["colours"][0] == "codelet" and "group" in o["colours"] and "priority" in o["colours"], f"colours {o}")
        check(o["rows"][0] == "row" and "data" in o["rows"] and set(o["legend"]) == {len(rows)}, f"rows {o}")
        check(o["ticked"] and o["runs"] == [len(rows)] and not o["outside"], f"keys, or texts outside: {o}")
        check(o["command"].startswith("orrery hb2st band.npy") and f"{len(rows)} tasks in" in o["verdict"], f"head {o}")
else:
    print("skipped: no node to run the page's script")
browser = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
if browser:
    with tempfile.TemporaryDirectory() as d:
        out = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
                              f"--user-data-dir={d}", "file://" + page],
                             capture_output=True, text=True, timeout=600)
    check("ERROR:CONSOLE" not in out.stderr, f"{browser}: {out.stderr[-300:]}")
    check(f'data-drawn="{len(rows)}"' in out.stdout, f"{browser} did not draw {len(rows)} tasks")
else:
    print("skipped: no Chromium to open the page in")

for w in wrong[:20]:
    print("FAIL:", w)
print(f"trace: {len(rows)} tasks, {len(wrong)} failures")
sys.exit(bool(wrong))
