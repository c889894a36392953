#!/usr/bin/env python3
"""A matrix times 10^e through every dense and band command: scales.py ORRERY

Values, with --check, for e at both ends of the range and where numbers are subnormal: exit code 0
and |x - 10^e x_0| <= 1e3 n eps |x| + n grid, x_0 being what the command says for e = 0; or, near the
upper end only, exit code 3 and a line that tells of the range. Never "NaN or infinite".
SPDX-License-Identifier: BSD-3-Clause
"""
import os, struct, subprocess, sys, tempfile

orrery = sys.argv[1]
failures = 0
N = 7
FORMAT = {"s": ("<f4", "f"), "d": ("<f8", "d"), "c": ("<c8", "f"), "z": ("<c16", "d")}
EPS = {"f": 2.0**-23, "d": 2.0**-52}
GRID = {"f": 2.0**-149, "d": 2.0**-1074}
GREATEST = {"f": 3.4e38, "d": 1.7e308}


def fail(*what):
    global failures
    failures += 1
    print("FAILED", *what)


def write(path, letter, shape, entries):
    descr, code = FORMAT[letter]
    parts = [p for x in entries for p in ([x.real, x.imag] if letter in "cz" else [x.real])]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (descr, shape)
    header = header.ljust(64 * ((len(header) + 10) // 64 + 1) - 11) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<%d%s" % (len(parts), code), *parts))


def read(path, code):
    data = open(path, "rb").read()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack("<%d%s" % (len(body) // struct.calcsize(code), code), body)


def hermitian():
    x = [[0j] * N for _ in range(N)]
    for i in range(N):
        for j in range(i + 1):
            z = complex((3 * i + 5 * j) % 7 - 3, 0 if i == j else (i + 2 * j) % 5 - 2)
            x[i][j], x[j][i] = z / 4, z.conjugate() / 4
    return x


dense = [x for row in hermitian() for x in row]
band = [hermitian()[j + k][j] if j + k < N else 0 for k in range(3) for j in range(N)]
upper = [hermitian()[j - k][j] if j >= k else 0 for k in (2, 1, 0) for j in range(N)]
COMMANDS = {  # entries, shape, what to compare
    "heevj": (dense, (1, N, N), "--values"),
    "heev": (dense, (N, N), "--values"),
    "gesvj": (dense, (1, N, N), "--values"),
    "gesvd": (dense, (N, N), "--values"),
    "hb2st": (band, (3, N), "--diag"),
    "gb2bd": (upper, (3, N), "--diag"),
}


def solve(command, letter, e):
    entries, shape, output = COMMANDS[command]
    # in two steps: 10^e itself may be out of range
    half = 10.0 ** (e // 2), 10.0 ** (e - e // 2)
    if letter in "sd":
        entries = [complex(x).real for x in entries]
    write("a.npy", letter, shape, [complex(x * half[0] * half[1]) for x in entries])
    if os.path.exists("x.npy"):
        os.remove("x.npy")
    r = subprocess.run([orrery, command, "a.npy", output, "x.npy", "--check", "--jobz", "V",
                        "--cpus", "1", "-q"], capture_output=True, text=True, timeout=300)
    x = read("x.npy", FORMAT[letter][1]) if r.returncode == 0 else None
    return r.returncode, r.stderr, x


def compare(command, letter, e, x0):
    code = FORMAT[letter][1]
    rc, said, x = solve(command, letter, e)
    where = "%s %s 1e%d:" % (command, letter, e)
    if "NaN" in said:
        fail(where, said)
    elif rc == 3 and "range" in said:
        if max(map(abs, x0)) * 10.0 ** (e - 8) * 4 < GREATEST[code] / 1e8:
            fail(where, "nothing is beyond the range:", said)
    elif rc != 0:
        fail(where, "exit code", rc, said)
    else:
        top = max(map(abs, x0))
        power = 10.0 ** (-e // 2), 10.0 ** (-e - -e // 2)
        for a, b in zip(x, x0):
            bound = 1e3 * N * EPS[code] * top + N * GRID[code] * power[0] * power[1]
            if not abs(a * power[0] * power[1] - b) <= bound:
                fail(where, a, "is not 1e%d times" % e, b)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for command in COMMANDS:
        for letter, ends in (("s", (-44, -38, 38)), ("z", (-322, -308, 308))):
            rc, said, x0 = solve(command, letter, 0)
            if rc != 0:
                fail(command, letter, "exit code", rc, said)
                continue
            for e in ends:
                compare(command, letter, e, x0)
print("%d failures" % failures)
sys.exit(failures != 0)
