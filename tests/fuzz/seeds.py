#!/usr/bin/env python3
"""Writes the seed files of the fuzzers: corpus/npy, mtx, edges, npz and table. Needs no packages.

SPDX-License-Identifier: BSD-3-Clause"""
import gzip
import io
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
