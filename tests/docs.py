"""The documentation names nothing that is not there.

    docs.py SOURCE_DIRECTORY ORRERY

Every page: README.md and its neighbours, docs, and those of perfmodels and examples; and the examples of
`orrery COMMAND --help`.

commands  A line that holds `orrery COMMAND ...` in a block, and such a span in the text, is one that orrery accepts: a wrong
          option or value is exit code 2. What computes is run with --max-memory 1 and refuses for want of memory, what reads
          a file does not find it. What would work for long, or holds a placeholder, is searched in its help.
links     A file is there, and a heading.
files     What is spelt as a path of this tree, in code, is one of its files, folders or programs, and so are pages that the
          sources name.
records   Every key of the records of some runs is in docs/cli.md, and so is every variable that the sources read.
names     A word with an underscore, in code, is in the sources: no function, variable or test that is gone.
answers   What a block shows below `$ orrery ...` (or `$ printf ...`) is what that prints, numbers to nine digits. The Python
          block before may make the files, where there is NumPy.
C         Programs compile, and so do blocks that call the library, with the variables that `variables` declares.
scripts   Each tells by --help what it does and how it is called.
builds    --preset NAME is one of CMakePresets.json, --target NAME is in some CMakeLists.txt, and what follows
          scripts/NAME or bench/NAME is in that file.

SPDX-License-Identifier: BSD-3-Clause
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

source, orrery = sys.argv[1], os.path.abspath(sys.argv[2])
folders = ("bench", "cmake", "codelets", "docs", "examples", "include", "kernels", "packaging", "perfmodels", "schedulers",
           "scripts", "src", "tests")
pages = sorted(os.path.relpath(f, source)
               for place in ("*.md", "docs/*.md", "docs/algorithms/*.md", "examples/*/*.md", "perfmodels/*.md")
               for f in glob.glob(os.path.join(source, place)))
computes = {"heev", "hegv", "hbev", "heevj", "gesvd", "gesvj", "hb2st", "gb2bd", "powm", "pagerank"}
reads = {"compare", "graph", "models", "replay", "sched"}
made_up = {  # in pages that say how something of one's own is added
    "docs/architecture.md": {"a_case", "cmd_a"},
    "docs/schedulers.md": {"orr_sched_latest"},
    "docs/simt.md": {"ORR_SIMT_CUDA_k", "orr_k_cuda", "races_test_k", "simt_test_k"},
    "docs/lapack.md": {"use_orrery"},
    "docs/files.md": {"sparse_matrix"},
    "docs/calibration.md": {"codelets/45/"},  # of a machine's models
    "docs/gpu-status.md": {"perfmodels/h200-16core/"},
}
elsewhere = {  # what others have
    "CMAKE_PREFIX_PATH", "skip_header", "CUDA_VISIBLE_DEVICES", "STARPU_WORKERS_OPENCLID", "starpu_malloc", "starpu_perfmodel_display", "starpu_fxt_tool", "SLURM_ARRAY_TASK_ID", "CLEAN_BUFFERS", "get_local_ptr",
    "UCGABAR_ARV", "UCGABAR_WAIT", "s_LAPACK", "b_i", "codelet_type", "CPU_ONLY", "ACCEL_ONLY", "HAS_CUDA", "orr_insert_",
}
variables = """
#include <orrery/orrery.h>
#include <orrery/sparse.h>
#include <stdio.h>
extern orr_context *ctx;
extern orr_report report;
extern orr_request *request;
extern orr_matrix_info *info;
extern int64_t n, k, lda, ldab, ldb, lde, ldu, ldv, ldx, ldz, batch;
extern double *a, *ab, *d, *e, *s, *u, *v, *w, *x, *z, *E, *values;
"""
variables_of = {
    "docs/algorithms/hegv.md": "extern double *b;",
    "docs/algorithms/pagerank.md": "extern double *scores;",
}
failures = []


def read(path):
    with open(os.path.join(source, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def run(*words):
    return subprocess.run([orrery, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)


def blocks_and_spans(text):
    """Pieces of code, one command line each."""
    parts = re.split(r"^ *```.*$", text, flags=re.M)
    for block in parts[1::2]:
        yield from re.sub(r" *\\\n\s*", " ", block).splitlines()
    for prose in parts[0::2]:
        indented = re.sub(r" *\\\n\s*", " ", "\n".join(re.findall(r"^    .*$", prose, flags=re.M)))
        yield from (line.strip() for line in indented.splitlines())
        for span in re.findall(r"`([^`]+)`", prose):
            yield " ".join(span.split())


# ---- commands ----

def commands_of(line):
    """Words of each command of orrery in a line, from COMMAND on."""
    line = re.sub(r"(^| +)#( .*)?$", "", line.strip())
    line = re.sub(r"  +\S.*$", "", line)  # a remark to its right
    for piece in re.split(r" \| | && |; ", re.sub(r" >\s*\S+", "", line)):
        piece = re.sub(r"^(\$ |run: )?(\w+=\S* )*((mpirun|srun) (-\S+ ([\d\"$]\S* )?)*)?", "", piece.strip())
        try:
            words = shlex.split(piece)
        except ValueError:
            continue
        if len(words) > 1 and re.fullmatch(r"([\w./]*/)?orrery", words[0]) and re.fullmatch("[a-z0-9]+", words[1]) and \
                not re.match(r"orrery graph \d", piece):  # the first line of a file
            yield words[1:]


def placeholder(word):
    return re.search(r"\.\.\.|[|\[\]<>{}$]", word) or re.fullmatch(r"([\w-]+[:=])?([A-Z]{2,}[\w.]*|N|K|R)", word)


def check_command(page, words):
    """The command is accepted, as far as that can be seen without its work."""
    name, rest = words[0], words[1:]
    known = run(name, "--help")
    if known.returncode != 0:
        failures.append(f"{page}: no command '{name}'")
        return
    words = [re.sub(r"^(laplace3d|rmat):\d+", r"\1:4", w) for w in words]  # is made before it is refused
    whole = rest and not any(map(placeholder, rest)) and "latest" not in rest  # a policy that docs/schedulers.md adds
    if whole and (name in computes or name in reads or name == "study" and rest[0] != "run"):
        done = run(*words, *(("--max-memory", "1", "-q") if name in computes else ()))
        mention = done.returncode == 2 and "needed" in done.stderr  # of a command without its file
        if done.returncode in (2, 6) and not mention or done.returncode < 0:
            failures.append(f"{page}: orrery {shlex.join(words)}: {done.returncode}: {done.stderr.strip()}")
    else:
        other = [i for i, w in enumerate(rest) if w == "--" or name == "simulate" and w in computes]  # its options follow
        own = rest[:other[0]] if other else rest
        for option in (w.split("=")[0] for w in own if w.startswith("--") and w != "--"):
            if not re.search(rf"{option}\b", known.stdout):
                failures.append(f"{page}: orrery {name} has no {option}")


def examples_of_help():
    """(page, words) of the examples that each command's help shows."""
    names = re.findall(r"^  ([a-z0-9]+) {2,}", run("--help").stdout.partition("Options:")[0], flags=re.M)
    for name in names:
        for line in run(name, "--help").stdout.partition("Examples:")[2].splitlines():
            yield from ((f"orrery {name} --help", tuple(w)) for w in commands_of(line))


def same_line(shown, printed):
    """Equal words, and numbers that agree to nine digits."""
    words, others = shown.split(), printed.split()
    try:
        return len(words) == len(others) and all(
            a == b or abs(float(a) - float(b)) <= 1e-9 * abs(float(a)) for a, b in zip(words, others))
    except ValueError:
        return False


def check_answers(page, text):
    """Blocks with `$ command` lines and what they print, in one directory of their own for the page."""
    with tempfile.TemporaryDirectory() as place:
        path = os.pathsep.join((os.path.dirname(orrery), os.environ["PATH"]))
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.M | re.S):
            if language == "python" and "np.save(" in block and ">>>" not in block:
                subprocess.run([sys.executable, "-c", block], cwd=place, capture_output=True)
            for command, shown in re.findall(answer, block, flags=re.M):
                done = subprocess.run(command, shell=True, cwd=place, capture_output=True, text=True,
                                      env=os.environ | {"PATH": path})
                printed = done.stdout + done.stderr
                if "cannot open" in printed and not has_numpy:
                    continue
                lines = shown.splitlines(), printed.splitlines()
                if len(lines[0]) != len(lines[1]) or not all(map(same_line, *lines)):
                    failures.append(f"{page}: '{command}' prints\n{printed}")


def check_c(page, text):
    """Compiles the page's programs, and its pieces of C that call the library, each as the body of a function."""
    for block in re.findall(r"^```c\n(.*?)^```", text, flags=re.M | re.S):
        compiler = "mpicc" if "<mpi.h>" in block else "cc"
        if not shutil.which(compiler):
            print(f"left out: a program of {page}, for want of {compiler}")
            continue
        if "int main(" in block:
            program = block
        elif "orr_" not in block or "#include" in block or re.search(r"orr_cost|ROW\(", block):
            continue
        else:
            declared = variables + variables_of.get(page, "extern int64_t m, b;")
            program = f"{declared}\nvoid f(void);\nvoid f(void)\n{{{{\n{block}}}}}\n"
        done = subprocess.run([compiler, "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-variable", "-x", "c", "-I",
                               os.path.join(source, "include"), "-"], input=program, capture_output=True, text=True)
        if done.returncode:
            failures.append(f"{page}: {done.stderr}")


def check_records():
    """Keys in the first column of the tables of docs/cli.md, and those that runs write."""
    told = set(re.findall(r"`(\w+)`", read("docs/cli.md").partition("## Records")[2]))
    for words in ("heevj --n 8 --batch 3 --check", "heev --n 40 --ref lapack", "hb2st --n 50 --band 4", "gesvd --n 30 --jobz V",
                  "gesvj --n 32 --count 2", "powm --generate laplace3d:4", "pagerank --generate rmat:4:4",
                  "powm --generate laplace3d:4 --compare --format crs --steps 1",
                  "pagerank --generate rmat:4:4 --bench --steps 1"):
        done = run(*words.split(), "--json", "-", "-q")
        for line in done.stdout.splitlines():
            for key in json.loads(line).keys() - told:
                failures.append(f"docs/cli.md does not tell the key {key} of the records of orrery {words}")
        if done.returncode or not done.stdout:
            failures.append(f"orrery {words}: {done.returncode}: {done.stderr}")


# ---- links, files, names ----

def anchors(path):
    """Of the headings, as GitHub makes them."""
    heads = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", read(path), flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def check_link(page, link):
    if re.match(r"[a-z]+:", link):
        return
    path, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(os.path.join(source, target)):
        failures.append(f"{page}: {link} does not exist")
    elif anchor and anchor not in anchors(target):
        failures.append(f"{page}: {link}: no such heading")


def check_path(page, path):
    """src/..., tests/... and so on: a file, its beginning, or a program that CMake makes."""
    if path in made_up.get(page, ()) or re.search(r"[A-Z]{4}|[/_][akp]\.|latest", path):  # FAMILY, k.c: for another
        return
    there = glob.glob(os.path.join(source, glob.escape(path).rstrip("/")) + "*")
    if not there and os.path.basename(path) not in cmake_words:
        failures.append(f"{page}: {path} does not exist")


def check_build(page, line):
    for preset in re.findall(r"--preset[ =]([\w-]+)", line):
        if f'"name": "{preset}"' not in presets:
            failures.append(f"{page}: no preset '{preset}'")
    for targets in re.findall(r"--target((?: \w+)+)", line):
        for name in targets.split():
            if name not in {"all", *cmake_words, *made_up.get(page, ())}:
                failures.append(f"{page}: no target '{name}'")
    for script, words in re.findall(r"\b((?:scripts|bench)/[\w.-]+)((?: --?[\w-]+| [a-z]+(?![\w/.]))*)", line):
        if not os.path.isfile(os.path.join(source, script)):
            continue
        text = read(script) + read("scripts/lib.sh")
        for word in words.split():
            option = rf"(?<![\w-]){word}(?![\w-])"
            part = rf"^#   +{word}\b|\b{word}[|)]|[|]{word}\b"  # as their comments and cases say it
            if (word[0] == "-" or script.startswith("scripts/")) and \
                    not re.search(option if word[0] == "-" else part, text, flags=re.M):
                failures.append(f"{page}: {script} has no {word}")


answer = r"^\$ (?:build/release/)?((?:orrery|printf) .*)\n((?:(?!\$ ).*\n)*)"
has_numpy = subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode == 0
for script in sorted(os.listdir(os.path.join(source, "scripts"))):
    if os.access(os.path.join(source, "scripts", script), os.X_OK):
        done = subprocess.run([os.path.join(source, "scripts", script), "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
        if done.returncode or not re.search(rf"^ *(usage: |\./|scripts/){script}\b", done.stdout, flags=re.M):
            failures.append(f"scripts/{script} --help: {done.returncode}: {done.stdout[:200]}{done.stderr}")
presets = read("CMakePresets.json")
sources = ["CMakeLists.txt", "CMakePresets.json"]
for folder in folders:
    for place, _, names in os.walk(os.path.join(source, folder)):
        sources += [os.path.relpath(os.path.join(place, name), source) for name in names]
sources = [f for f in sources if not f.endswith((".md", ".svg", ".gz")) and not f.startswith(("perfmodels/", "bench/results/"))]
cmake = "\n".join(read(f) for f in sources if f.endswith("CMakeLists.txt"))
names = {w for f in sources for w in re.findall(r"\w+", read(f) + " " + os.path.basename(f))}
cmake_words = set(re.findall(r"\w+", cmake))
for kind in ("bench", "cli", "kernels", "python", "races", "simt", "vgpu"):  # CMake puts these before a name
    cmake_words |= {f"{kind}_{w}" for w in re.findall(r"\w+", cmake)}
names |= cmake_words

check_records()
own = {"HOME", "ORRERY_RECORD", "ORRERY_RECORD_NOTE", "OPENBLAS_NUM_THREADS", "PATH", "STARPU_WORKERS_GETBIND", "TERM"}
variables_told = set(re.findall(r"`([A-Z_]+)`", read("docs/cli.md")))
for f in sources:
    for path in re.findall(r"\bdocs/[\w/-]+\.md\b", read(f)):
        check_path(f, path)
    if f.startswith(("codelets/", "kernels/", "schedulers/", "src/", "packaging/python/")):
        for name in re.findall(r"(?:getenv\(|environ\.get\(|place_find\([^,]*, )\"([A-Z_]+)\"", read(f)):
            if name not in variables_told | own:
                failures.append(f"docs/cli.md does not tell the variable {name} of {f}")
commands = set(examples_of_help())
links = paths = words_seen = 0
for page in pages:
    text = read(page)
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)):
        check_link(page, link)
        links += 1
    if page == "docs/gpu-kernels.md":  # written by scripts/gpu-audit
        continue
    check_answers(page, text)
    check_c(page, text)
    for line in blocks_and_spans(text):
        commands |= {(page, tuple(w)) for w in commands_of(line)}
        check_build(page, line)
        for path in re.findall(rf"(?<![\w./$-])(?:{'|'.join(folders)})/[\w./-]*[\w/]", line):
            check_path(page, path)
            paths += 1
        for word in re.findall(r"[A-Za-z]\w*_\w+", re.sub(r"-D(?=[A-Z])", "", line)):
            words_seen += 1
            if word not in names and word not in elsewhere and word not in made_up.get(page, ()):
                failures.append(f"{page}: {word} is nowhere in the sources")
with tempfile.TemporaryDirectory() as empty:
    os.chdir(empty)
    seen = set()
    for page, words in sorted(commands):
        if words not in seen:
            check_command(page, list(words))
        seen.add(words)
    os.chdir("/")
print(f"{len(seen)} commands, {links} links, {paths} files and {words_seen} names on {len(pages)} pages, "
      f"{len(failures)} wrong")
print("\n".join(dict.fromkeys(failures)))
sys.exit(bool(failures))
