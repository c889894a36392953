"""Judges a picture that orrery --trace or graph draw wrote: picture.py SVG JSONL WORD...

It is well-formed XML without addresses, scripts or foreign elements. Every text lies within the view box, and
no text of the left margin reaches into the charts, by a width that no usual font exceeds. Bars lie within the
charts; on the workers' lanes stand as many px of them as the record says that kernels took. Lines of bounds stand
where the record has them. WORDs must be said.

SPDX-License-Identifier: BSD-3-Clause"""
import json, re, sys
import xml.etree.ElementTree as ET

svg, jsonl, *words = sys.argv[1:]
wrong = []


def check(good, what):
    if not good:
        wrong.append(what)


source = open(svg, encoding="utf-8").read()
check(len(source) < 400000, f"{len(source)} bytes")
check(source.count("://") == 1, "it names an address besides the name of SVG")
root = ET.fromstring(source)
tag = lambda e: e.tag.rpartition("}")[2]
check({tag(e) for e in root.iter()} <= {"svg", "rect", "text", "path", "g"}, "elements besides the plain ones")
for e in root.iter():
    check(not any(a.startswith("on") or "href" in a for a in e.attrib), f"attributes {e.attrib}")
_, _, width, height = map(float, root.get("viewBox").split())

texts = []
for parent in root.iter():
    size = float(parent.get("font-size", root.get("font-size")))
    for e in parent:
        if tag(e) != "text":
            continue
        x, y, anchor = float(e.get("x")), float(e.get("y")), e.get("text-anchor", "start")
        wide = len(e.text or "") * size * (0.7 if e.get("font-weight") else 0.63)
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        texts.append((e.text or "", left, left + wide, y, anchor))
        check(left >= -0.5 and left + wide <= width + 0.5 and size <= y <= height,
              f"'{e.text}' reaches from {left:.0f} to {left + wide:.0f} of {width:.0f}, y = {y:.0f} of {height:.0f}")
said = " ".join(t[0] for t in texts)
for word in words:
    check(word in said, f"'{word}' is not said in: {said[:300]}")

frames = [(float(e.get("x")), float(e.get("y")), float(e.get("width")), float(e.get("height")))
          for e in root.iter() if tag(e) == "rect" and e.get("fill") == "#f2f2f2"]
check(frames, "no charts")
left, span = frames[0][0], frames[0][2]
check(all((f[0], f[2]) == (left, span) for f in frames), "charts with different axes")
for text, begin, end, y, anchor in texts:
    if anchor == "end" and end < left + 1 and "chain" not in text and "work" not in text:
        check(end <= left, f"'{text}' reaches into the charts")

record = [json.loads(line) for line in open(jsonl)][-1]
bound, trace = record["bound"], record["trace"]


def told(before, seconds):
    """In four digits; graphs hold nanoseconds, so the last digit may be another one."""
    found = re.search(re.escape(before) + r" ([\d.]+) ms", said)
    return found and abs(float(found[1]) - 1e3 * seconds) <= 6e-4 * 1e3 * seconds


check(told(f"{trace['tasks']} tasks in", bound["makespan"]), f"tasks: {said[:300]}")
drawn = {}
for e in root.iter():
    if tag(e) != "path" or "fill" not in e.attrib or e.get("fill") == "#555555":
        continue
    for x, y, w in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v", e.get("d")):
        x, y, w = float(x), float(y), float(w)
        check(left - 0.6 <= x and x + w <= left + span + 1.6, f"a bar from {x} to {x + w} in {left} ... {left + span}")
        drawn.setdefault(y, []).append((x, w))
lanes = [f for f in frames for t in texts if re.match(r"(idle )?(CPU|CUDA|OpenCL)( \d+)?$", t[0]) and f[1] < t[3] < f[1] + f[3]]
kinds = trace["workers"].values()
check(len(lanes) == sum(k["workers"] for k in kinds), f"{len(lanes)} lanes")
seen = sum(w for f in lanes for x, w in drawn.get(f[1], []))
busy = sum(k["busy"] for k in kinds) / bound["makespan"] * span
room = 0.45 * trace["tasks"] + 2  # 0.4 px between bars, hairlines, rounding
check(abs(seen - busy) <= room, f"{seen:.1f} px drawn, {busy:.1f} px of work, tolerance {room:.1f}")

for key, label in ("critical_path", "longest chain"), ("area", "work / workers"):
    check(told(label, bound[key]), f"{label} is not {1e3 * bound[key]:.4g}")
    x = left + bound[key] / bound["makespan"] * span
    strokes = [float(e.get("d")[1:].split()[0]) for e in root.iter() if e.get("stroke-dasharray")]
    check(any(abs(s - x) < 0.2 for s in strokes), f"{label}: lines at {strokes}, not at {x:.1f}")
for w in wrong[:20]:
    print("FAIL:", w)
print(f"picture: {trace['tasks']} tasks, {len(source)} bytes, {len(wrong)} failures")
sys.exit(bool(wrong))
