"""Every command that README.md and docs show is one that orrery accepts, and every link leads somewhere.

    docs.py SOURCE_DIRECTORY ORRERY

A line that begins with `orrery COMMAND` in a block, and a span `orrery COMMAND ...` in the text, is run
with --max-memory 1: what computes refuses at once for want of memory, what reads a file does not find it.
A wrong option or value is exit code 2. Commands that do not know --max-memory are searched in their help.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

source, orrery = sys.argv[1], os.path.abspath(sys.argv[2])
pages = ["README.md"] + [os.path.join(d, f) for d in ("docs", "docs/algorithms")
                         for f in sorted(os.listdir(os.path.join(source, d))) if f.endswith(".md")]
computes = {"heev", "heevj", "gesvd", "gesvj", "hb2st", "gb2bd", "powm", "pagerank"}
failures = []


def run(*words):
    return subprocess.run([orrery, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)


def blocks_and_spans(text):
    """Pieces of code, one command line each."""
    parts = re.split(r"^```.*$", text, flags=re.M)
    for block in parts[1::2]:
        yield from re.sub(r"\\\n\s*", " ", block).splitlines()
    for prose in parts[0::2]:
        for span in re.findall(r"`([^`]+)`", prose):
            yield " ".join(span.split())
        yield from (line.strip() for line in prose.splitlines() if line.startswith("    orrery "))


def words_of(line):
    """The words of a command, or None: something else (`orrery graph 2` opens a file), or a placeholder."""
    line = re.sub(r"  +\S.*$", "", line.strip())  # a remark to its right
    line = re.split(r" [|#>] | && |; ", line)[0]
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    if len(words) < 2 or words[0] != "orrery" or re.match(r"orrery graph \d", line) or not re.fullmatch("[a-z0-9]+", words[1]):
        return None
    if any(re.search(r"\.\.\.|[|\[\]<>]", w) or re.fullmatch("(.*:)?[A-Z]+", w) for w in words[2:]):
        return None
    return words[1:]


def check_command(page, words):
    known = run(words[0], "--help")
    if known.returncode != 0:
        failures.append(f"{page}: no command '{words[0]}'")
    elif words[0] in computes and len(words) > 1:
        small = [re.sub(r"^(laplace3d|rmat):\d+", r"\1:4", w) for w in words]  # is made before it is refused
        done = run(*small, "--max-memory", "1", "-q")
        made_up = "latest" in words  # a policy that docs/schedulers.md adds
        if done.returncode < 0 or done.returncode == 6 or done.returncode == 2 and not made_up:
            failures.append(f"{page}: orrery {shlex.join(words)}: {done.returncode}: {done.stderr.strip()}")
    elif words[0] != "simulate":  # which takes another command's options
        for option in (w.split("=")[0] for w in words[1:] if w.startswith("--")):
            if not re.search(rf"{option}\b", known.stdout):
                failures.append(f"{page}: orrery {words[0]} has no {option}")


def anchors(path):
    """Of the headings, as GitHub makes them."""
    with open(path, encoding="utf-8") as f:
        heads = re.findall(r"^#+ +(.*)$", f.read(), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def check_link(page, link):
    if re.match(r"[a-z]+:", link):
        return
    path, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(source, os.path.dirname(page), path)) if path else \
        os.path.join(source, page)
    if not os.path.exists(target):
        failures.append(f"{page}: {link} does not exist")
    elif anchor and anchor not in anchors(target):
        failures.append(f"{page}: {link}: no such heading")


commands = set()
links = 0
for page in pages:
    with open(os.path.join(source, page), encoding="utf-8") as f:
        text = f.read()
    commands |= {(page, tuple(w)) for w in map(words_of, blocks_and_spans(text)) if w}
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)):
        check_link(page, link)
        links += 1
with tempfile.TemporaryDirectory() as empty:
    os.chdir(empty)
    seen = set()
    for page, words in sorted(commands):
        if words not in seen:
            check_command(page, list(words))
        seen.add(words)
    os.chdir("/")
print(f"{len(seen)} commands and {links} links on {len(pages)} pages, {len(failures)} wrong")
print("\n".join(failures))
sys.exit(bool(failures))
