"""What the tests of the Python package share: skipped without NumPy, failures counted.

SPDX-License-Identifier: BSD-3-Clause"""
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy, so the Python package cannot be tested (Debian: python3-numpy)")
    sys.exit(77)

DTYPES = [np.dtype(x) for x in ("f4", "f8", "c8", "c16")]
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("FAIL:", what)


def raises(kind, words, function, *args, **options):
    """`function` raises `kind` with a message that has `words`."""
    try:
        function(*args, **options)
    except kind as e:
        check(words in str(e), f"{function.__name__}: '{words}' expected in: {e}")
        return
    except BaseException as e:
        check(False, f"{function.__name__}: {kind.__name__} expected: {type(e).__name__}: {e}")
        return
    check(False, f"{function.__name__}{args} {options}: {kind.__name__} expected ({words})")


def random(rng, dtype, *shape):
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dtype.kind == "c" else a).astype(dtype)


def hermitian(rng, dtype, *shape):
    a = random(rng, dtype, *shape)
    return (a + a.conj().swapaxes(-1, -2)) / 2


def ended():
    print(f"{failures} wrong")
    sys.exit(failures > 0)
