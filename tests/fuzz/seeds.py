#!/usr/bin/env python3
"""Writes the seed files of the fuzzers: corpus/npy, mtx, edges, npz, table, plan, records, import, orders and options.
Needs no packages.

SPDX-License-Identifier: BSD-3-Clause"""
import gzip
import io
import json
import os
import struct
import zipfile

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def put(kind, name, data):
    os.makedirs(os.path.join(here, kind), exist_ok=True)
    with open(os.path.join(here, kind, name), "wb") as f:
        f.write(data)


def npy(header, data, version=1):
    h = header.encode() + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(h))
    return b"\x93NUMPY" + bytes([version, 0]) + size + h + data


def head(descr, fortran, shape):
    return "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)


sizes = {"f2": 2, "f4": 4, "f8": 8, "c8": 8, "c16": 16, "i1": 1, "i2": 2, "i4": 4, "i8": 8,
         "u1": 1, "u2": 2, "u4": 4, "u8": 8, "b1": 1}
for t, n in sizes.items():
    order = "|" if n == 1 else "<"
    put("npy", t, npy(head(order + t, False, "(2, 3)"), bytes(range(6)) * n))
put("npy", "big", npy(head(">f8", True, "(2, 3)"), bytes(48), 2))
put("npy", "scalar", npy(head("<f8", False, "()"), bytes(8), 3))
put("npy", "empty", npy(head("<f4", False, "(0, 5)"), b""))
put("npy", "four", npy(head(">i8", True, "(2L, 1L, 2L, 2L)"), bytes(64)))
put("npy", "keys", npy('{"shape": (3,), "descr": "<f4", "fortran_order": True}', bytes(12)))
put("npy", "objects", npy(head("|O", False, "(1,)"), b"cos\nsystem\n"))
put("npy", "fields", npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,)}", bytes(8)))
put("npy", "huge", npy(head("<f8", False, "(1099511627776, 1048576)"), b""))

banner = b"%%MatrixMarket matrix "
texts = {
    "real": b"coordinate real general\n% a comment\n\n3 4 3\n1 1 1.5\n3 4 -2e-3\n2 2 1D+00\n",
    "pattern": b"coordinate pattern symmetric\r\n3 3 2\r\n2 1\r\n3 3\r\n",
    "complex": b"coordinate complex Hermitian\n2 2 2\n1 1 3 0\n2 1 .5 -1e300\n",
    "skew": b"coordinate real skew-symmetric\n2 2 1\n2 1 0.12345678901234567890123\n",
    "integer": b"coordinate integer general\n2 2 2\n1 2 -9007199254740992\n  2\t1   7  \n% end",
    "array": b"array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
    "array_symmetric": b"array complex symmetric\n2 2\n1 2\n3 4\n5 6",
    "array_skew": b"array integer skew-symmetric\n3 3\n1\n2\n3\n",
    "empty": b"coordinate real general\n0 0 0\n",
    "nan": b"coordinate real general\n1 1 1\n1 1 nan\n",
    "range": b"coordinate pattern general\n1 1 1\n1 2\n",
    "huge": b"coordinate pattern general\n9223372036854775807 1 1152921504606846976\n1 1\n",
}
for name, text in texts.items():
    put("mtx", name, banner + text)
put("mtx", "gzip", gzip.compress(banner + texts["real"], mtime=0))
put("mtx", "members", gzip.compress(banner, mtime=0) + gzip.compress(texts["pattern"], mtime=0))

lists = {
    "plain": b"# nodes: 4\n0 1\n1 2\n\n3\t0\n",
    "weights": b"0 1 0.5\r\n2 1 -3e2\r\n",
    "some": b"0 1\n1 0 2.5\n",
    "large": b"2147483646 0\n",
    "overflow": b"9223372036854775808 1\n",
    "negative": b"-1 2\n",
    "words": b"a b\n",
    "empty": b"",
    "comments": b"% none\n# none\n",
    "infinite": b"0 1 inf\n",
    "short": b"0\n1 2",
}
for name, text in lists.items():
    put("edges", name, text)
put("edges", "gzip", gzip.compress(lists["weights"], mtime=0))

tables = {
    "blanks": b"1 2.5\n-3e2 .5\n",
    "commas": b"1, 2\r\n3,4",
    "comments": b"# names\n1 2 # end\n% octave\n\n3 4\n",
    "mark": b"\xef\xbb\xbf1\n2\n",
    "complex": b"(1+2j) 3\n-4j 1e2-5.5i\n",
    "words": b"nan -inf\nInfinity 0\n",
    "ragged": b"1 2\n3\n",
    "missing": b"1,,2\n",
    "names": b"x,y\n1,2\n",
    "huge": b"1e999\n",
    "wide": b"\xff\xfe1\0",
    "empty": b"\n",
}
for name, text in tables.items():
    put("table", name, text)
put("table", "gzip", gzip.compress(tables["complex"], mtime=0))


def npz(arrays, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in arrays.items():
            z.writestr(zipfile.ZipInfo(name + ".npy"), data, method)
    return out.getvalue()


def vector(t, code, values):
    return npy(head("<" + t, False, "(%d,)" % len(values)), struct.pack("<%d%s" % (len(values), code), *values))


shape = vector("i8", "q", [2, 3])
data = vector("f8", "d", [1.5, -2, 4])
for name in "csr", "csc", "coo":
    arrays = {"format": npy("{'descr': '|S3', 'fortran_order': False, 'shape': ()}", name.encode()),
              "shape": shape, "data": data}
    if name == "coo":
        arrays |= {"row": vector("i4", "i", [0, 1, 1]), "col": vector("i4", "i", [2, 0, 1])}
    else:
        ends = [0, 1, 3] if name == "csr" else [0, 1, 2, 3]
        rows = [2, 0, 1] if name == "csr" else [1, 1, 0]
        arrays |= {"indices": vector("i4", "i", rows), "indptr": vector("i4", "i", ends)}
    put("npz", name, npz(arrays))
    put("npz", name + "_deflated", npz(arrays, zipfile.ZIP_DEFLATED))
put("npz", "dense", npz({"a": vector("f8", "d", [1, 2]), "b": data}))
put("npz", "nothing", npz({}))
put("npz", "cut", npz({"format": b"", "shape": shape})[:-20])


def put_json(kind, name, *values):
    put(kind, name, "".join(json.dumps(v) + "\n" for v in values).encode())


plan = {"study": "1", "name": "widths", "run": "orrery gb2bd --n {n} {width} --json {record} -q",
        "factors": {"n": ["512", "1024"], "width": {"chosen": "", "8": "--tw 8"}},
        "blocks": "20", "compare": {"factor": "width", "baseline": "chosen", "margin": "5%"}, "timeout": "1e2"}
put_json("plan", "short", {"study": 1, "name": "a", "run": ["true", "{x}"], "factors": {"x": [1, 2]}})
put_json("plan", "compared", plan)
put_json("plan", "looks", plan | {"looks": ["6", "12"], "seed": 3, "spread": 0.1, "question": "\u00fc?", "env": {"A": "b c"}})
put_json("plan", "published", plan | {
    "measure": "makespan", "exact": "true", "files": ["a", "b"], "prepare": "true {n}",
    "published": [{"at": {"n": 512, "width": "8"}, "ratio": 0.5, "within": "1%", "source": "Table 3"},
                  {"at": {"n": 1024, "width": "chosen"}, "value": 2.5, "within": 0.1, "source": "page 7"}]})
put_json("plan", "pattern", plan | {"measure": "s", "pattern": "took ([0-9.]+) s"})

record = {"algo": "hb2st", "type": "d", "n": 512, "band": 64, "sched": "lws", "workers": {"cpu": 2, "cuda": 0},
          "samples": [1, 2e-3, 3], "status": "ok", "plan": {"D": 64, "predicted": 1},
          "provenance": {"command": "orrery hb2st --n 512 --columns 64,128", "machine": "m", "time": "2026-01-01T00:00:00Z"}}
put_json("records", "one", record)
put_json("records", "two", record, record | {"samples": [2] * 6, "plan": {"D": 128}})
put_json("records", "lists", record | {"plan": [64], "workers": [2]})

task = "Name: {0}\nModel: m\nJobId: {1}\nSubmitOrder: {1}\nDependsOn: {2}\nStartTime: {1}.5\nEndTime: {1}.9\n" \
       "Footprint: 1f\nHandles: aa bb\nModes: RW R\nSizes: 800 16\nMemoryNode: 0\nWorkerId: 1\nMPIRank: -1\n\n"
ghost = "Name: _starpu_sync_task\nJobId: 2\nDependsOn: 1\n\n"
put("import", "rec", (task.format("first", 1, "") + ghost + task.format("last", 3, "2")).encode())
put("import", "csv", b'Name,JobId,SubmitOrder,StartTime,EndTime,MPIRank,Handles,Modes,Sizes,Footprint\n'
    b'"one ""so""",0_1,1,0.0,1.0,0,aa bb,W W,,1\nthree,0_2,3,1.0,2.0,0,aa,R,8,NA\n')
put("import", "dag", b"Dependent,JobId\n0_1,0_2\n")
put_json("import", "wf_1_5", {"workflow": {
    "specification": {"tasks": [{"name": "b_2", "id": "m", "parents": ["s"], "inputFiles": ["p"]},
                                {"name": "b_1", "id": "s", "children": ["m"], "outputFiles": ["p"]}],
                      "files": [{"id": "p", "sizeInBytes": 1000}]},
    "execution": {"tasks": [{"id": "m", "runtimeInSeconds": 2.5}, {"id": "s", "runtimeInSeconds": 1}]}}})
put_json("import", "wf_1_4", {"workflow": {"tasks": [
    {"name": "a_1", "runtime": 1, "parents": [], "files": [{"link": "output", "name": "f", "size": 10}]},
    {"name": "a_2", "runtime": 2, "parents": ["a_1"], "files": [{"link": "input", "name": "f", "size": 10}]}]}})

table = b"# measured\nformat = 1\ncpu = fuzz\ncores = 2\ndevices = 0\n"
put("orders", "here", table + b"dsyevd N = 1000\ndsyevd V = >1500\ndsyevd N = 900\n")
put("orders", "other", table.replace(b"= 2", b"= 3"))
put("orders", "wrong", table + b"a? N = 1\n")

put("options", "names", b"--flag\n--count=1e1\n--real\n.5\n--choice\nauto\n--sizes\n8,16,1k,8:64:8\n--words\nlapack,two-stage\nfile")
put("options", "letters", b"-ffc2Ki\n-r1\n-m\nlapack\n-n1:3\n-wauto\n-tx\n--\n-n")
put("options", "least", b"-n0:-9223372036854775808:-1")
