"""container.py SOURCE TREE DIR [NAME=VALUE...]: the steps of TREE/packaging/Containerfile without a container host.

Each FROM is a bare Debian below DIR (SOURCE/scripts/bare-root), RUN a command in it as root, COPY a copy. NAME=VALUE: an ARG.
At the end the command is run. Knows as much of the language as that file uses, and stops at anything else.

SPDX-License-Identifier: BSD-3-Clause
"""
import glob
import os
import re
import shutil
import subprocess
import sys

source, tree, place = sys.argv[1:4]
given = dict(word.split("=", 1) for word in sys.argv[4:])
bare_root = os.path.join(source, "scripts/bare-root")
os.makedirs(place, exist_ok=True)
arguments, stages, stage, entry = {}, {}, None, None


def inside(command):
    """Runs a shell's command in the present stage, where ARGs are variables."""
    variables = "".join(f"export {name}='{value}'; " for name, value in arguments.items())
    subprocess.run([bare_root, "run", stage["root"], "root", "sh", "-c", f"{variables}cd '{stage['cwd']}' && {command}"], check=True)


with open(os.path.join(tree, "packaging/Containerfile"), encoding="utf-8") as f:
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", f.read(), flags=re.M)).splitlines()
for line in filter(None, map(str.strip, lines)):
    word, _, rest = line.partition(" ")
    print("STEP", line, flush=True)
    if word == "ARG":
        name, _, value = rest.partition("=")
        arguments[name] = given.get(name, value)
    elif word == "FROM":
        image, _, name = re.sub(r"\$\{(\w+)\}", lambda m: arguments[m.group(1)], rest).partition(" AS ")
        release = re.fullmatch(r"docker\.io/library/debian:(\w+)-slim", image).group(1)
        stage = {"root": os.path.join(place, name or "last"), "cwd": "/"}
        stages[name or "last"] = stage
        subprocess.run([bare_root, "make", stage["root"], release], check=True)
        subprocess.run([bare_root, "clone", stage["root"], "root"], check=True)  # where it starts commands
    elif word == "WORKDIR":
        stage["cwd"] = rest
        os.makedirs(stage["root"] + rest, exist_ok=True)
    elif word == "COPY":
        start, what, to = re.fullmatch(r"(--from=\w+ )?(\S+) (\S+)", rest).groups()
        if start:
            for path in glob.glob(stages[start.strip()[len("--from="):]]["root"] + what):
                shutil.copy(path, stage["root"] + to)
        else:
            assert what == ".", what
            shutil.copytree(tree, stage["root"] + to, symlinks=True)
    elif word == "RUN":
        inside(rest)
    elif word == "ENTRYPOINT":
        entry = re.fullmatch(r'\["(\w+)"\]', rest).group(1)
    else:
        sys.exit(f"not known here: {line}")
inside(f"printf '2 1\\n1 2\\n' >a.txt && {entry} heev a.txt | tee said && grep -qx 3 said && python3 -c 'import orrery'")
