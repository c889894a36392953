"""Every command of docs/laboratory.md, in its order, in one directory.

    laboratory.py ORRERY LABORATORY.MD [SHARED_DATA]

What is not on this machine (StarPU's examples and models, foreign traces, SimGrid) is told; graphs that later commands need are
then made.

SPDX-License-Identifier: BSD-3-Clause"""
import os, re, shutil, subprocess, sys, tempfile

orrery, page = map(os.path.abspath, sys.argv[1:3])
traces = os.path.join(os.path.abspath(sys.argv[3]), "traces") if len(sys.argv) > 3 else ""
os.environ["PATH"] = os.path.dirname(orrery) + ":" + os.environ["PATH"]
os.environ["STARPU_SILENT"] = "1"
os.environ.pop("STARPU_SCHED", None)
os.chdir(tempfile.mkdtemp())
failures = commands = 0

with open("tasks.rec", "w") as f:
    f.write("Name: first\nJobId: 1\nSubmitOrder: 1\nWorkerId: 0\nMemoryNode: 0\nSubmitTime: 0.5\nStartTime: 1\nEndTime: 3.5\nHandles: a\nModes: RW\nSizes: 8\n\n")
for name in "rec.tasks.csv.gz", "dag.csv.gz":
    if os.path.exists(f"{traces}/qr_{name}"):
        shutil.copy(f"{traces}/qr_{name}", name)

def starpu_of(program):
    return re.findall(r"libstarpu-[\d.]*\d", subprocess.run(["ldd", program], capture_output=True, text=True).stdout)[:1]


# What a command needs, the command in its place, and what is missing. Only a program with Orrery's StarPU can be recorded.
cholesky = "/usr/lib/x86_64-linux-gnu/starpu/examples/cholesky_implicit"
if os.path.exists(cholesky) and starpu_of(cholesky) != starpu_of(orrery):
    cholesky += " of another StarPU"
absent = (("$E/", cholesky, "orrery graph make cholesky --size 8 --cpus 2 -o chol.graph", "starpu-examples"),
          ("$M/", "/usr/share/starpu/perfmodels/sampling/codelets/45/chol_model_11.sirocco",
           "orrery graph make cholesky --size 16 --gflops 40:400 --cpus 24 --gpus 4 -o sirocco.graph", "starpu-examples"),
          ("rec.tasks", "rec.tasks.csv.gz", "true", "a trace of StarVZ"))
blocks = re.findall(r"```\n(.*?)```", open(page).read(), re.S)
setting, told, err = "", [], ""
for block in blocks:
    if not re.match(r"(orrery |apt-get |\w=)", block):  # what commands print; that of families is the same everywhere
        for line in re.findall(r"orrery: (?:cholesky|layered): .*", block):
            told.append(line)
            if line not in err:
                failures += 1
                print(f"FAIL: '{line}' was not printed, but {err}")
        continue
    err = ""
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("apt-get "):
            continue
        if re.match(r"\w=", line):
            setting = line
            continue
        for mark, file, instead, what in absent:
            if mark in line and not os.path.exists(file):
                print(f"skipped, {what} is not here: {line}")
                line = instead
        done = subprocess.run(["bash", "-c", f"{setting}\n{line}"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        err += done.stderr
        commands += 1
        if done.returncode == 77 and line.startswith("orrery simulate") and "there is no orrery-sim" in done.stderr:
            print(f"skipped, there is no orrery-sim: {line}")
        elif done.returncode:
            failures += 1
            print(f"FAIL: exit code {done.returncode}: {line}\n{done.stdout}{done.stderr}")
if commands < 12 or len(told) != 2:
    failures += 1
    print(f"FAIL: {commands} commands and {told} were found in {page}")
print(f"laboratory: {commands} commands, {failures} failures")
sys.exit(bool(failures))
