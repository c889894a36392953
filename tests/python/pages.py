"""pages.py SOURCE: what docstrings and docs/python.md print is what is computed; the example prints what its
page says; versions agree; every function has a docstring with its shapes, exceptions and source.

SPDX-License-Identifier: BSD-3-Clause"""
import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys

from common import check, ended

import orrery

source = sys.argv[1]
tests = 0
for name in ("_dense", "_banded", "_sparse", "_runtime"):
    failed, ran = doctest.testmod(importlib.import_module(f"orrery.{name}"))
    check(failed == 0, f"doctests of orrery.{name}")
    tests += ran
check(tests > 20, f"{tests} doctests")

with open(os.path.join(source, "docs", "python.md"), encoding="utf-8") as f:
    text = f.read()
page = re.sub(r"^```.*$", "", text, flags=re.M)
runner = doctest.DocTestRunner()
runner.run(doctest.DocTestParser().get_doctest(page, {}, "docs/python.md", "docs/python.md", 0))
check(runner.failures == 0 and runner.tries > 10, f"docs/python.md: {runner.failures} of {runner.tries} wrong")

example = os.path.join(source, "examples", "bands.py")
done = subprocess.run([sys.executable, "-B", example], capture_output=True, text=True)
check(done.returncode == 0, f"{example}: {done.stderr}")
check(done.stdout and done.stdout in text, f"docs/python.md does not print what {example} prints:\n{done.stdout}")

for name in orrery.__all__:
    thing = getattr(orrery, name)
    if not inspect.isfunction(thing) or name in ("start", "stop", "info"):
        continue
    check(f"`{name}`" in text or f"`{name}(" in text, f"docs/python.md does not name {name}")
    doc = inspect.getdoc(thing)
    for heading in ("Parameters", "Returns", "Raises", "Notes", "Examples"):
        check(re.search(rf"^{heading}\n-+$", doc, flags=re.M), f"{name}: its docstring has no {heading}")
    check(re.search(r": \(.*\) ndarray", doc), f"{name}: no shapes")
    head = doc + (inspect.getdoc(orrery.eigsh) if name == "svds" else "")
    head += inspect.getdoc({"eigvalsh": orrery.eigh, "svdvals": orrery.svd, "eigvals_banded": orrery.eig_banded}.get(name, thing))
    for parameter in inspect.signature(thing).parameters:
        check(re.search(rf"^(\w+, )*{parameter}(, \w+)*( :|$)", head, flags=re.M), f"{name}: {parameter} is not described")

with open(os.path.join(source, "packaging", "python", "pyproject.toml"), encoding="utf-8") as f:
    check(f'version = "{orrery.__version__}"' in f.read(), "pyproject.toml has another version")
ended()
