"""What the tests of the command that are in Python share: what is wrong is told line by line, in an empty directory.

SPDX-License-Identifier: BSD-3-Clause"""
import os, subprocess, sys, tempfile

failures = []
os.environ["STARPU_SILENT"] = "1"
os.environ.pop("STARPU_SCHED", None)


def check(good, what):
    if not good:
        failures.append(what)
        print("FAIL:", what, flush=True)


def empty_directory():
    """Of the words of the command line those that are paths have been made absolute."""
    os.chdir(tempfile.mkdtemp())


def call(*words, **environment):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def finish(name):
    print(f"{name}: {len(failures)} failures")
    sys.exit(bool(failures))
