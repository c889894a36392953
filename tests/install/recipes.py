"""recipes.py CMAKE SOURCE CC [--build]: what Spack and Guix would do with packaging/spack and packaging/guix, without them.

Runs package.py against a stand-in for spack.package, reads orrery.scm, and configures the source tree with exactly the
options that the two would pass: CMake knows them all, and they do what they say. With --build the tree is built and
installed, too, and a program is compiled against that. The version is the same wherever it stands.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types

cmake, source, cc = sys.argv[1:4]
failures = []


def check(right, message):
    if not right:
        failures.append(message)
        print("FAIL", message)


def text(path):
    with open(os.path.join(source, path), encoding="utf-8") as f:
        return f.read()


# ---- Spack -------------------------------------------------------------------------------


def spack_recipe():
    """The class in package.py, and what its directives said, by their names."""
    said = {name: [] for name in "license version variant depends_on conflicts".split()}

    class When:
        def __enter__(self): return self
        def __exit__(self, *_): pass

    class Base:
        @staticmethod
        def define(name, value):  # as CMakeBuilder.define: ON and OFF, lists by semicolons
            if isinstance(value, bool):
                return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
            return f"-D{name}:STRING={value if isinstance(value, str) else ';'.join(value)}"

        def define_from_variant(self, name, variant):
            return self.define(name, self.spec.variants[variant].value)

    package, systems = types.ModuleType("spack.package"), {}
    for name in said:
        setattr(package, name, lambda *args, _name=name, **named: said[_name].append((args, named)))
    package.when = lambda _: When()
    package.python_platlib = "lib/python3.11/site-packages"
    for name in ("cmake", "cuda"):
        system = systems[f"spack_repo.builtin.build_systems.{name}"] = types.ModuleType(name)
        setattr(system, {"cmake": "CMakePackage", "cuda": "CudaPackage"}[name], type(name, (Base,) if name == "cmake" else (), {}))
    parents = [types.ModuleType(n) for n in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems")]
    sys.modules.update(systems, **{m.__name__: m for m in parents + [package]})
    space = {}
    exec(compile(text("packaging/spack/orrery/package.py"), "package.py", "exec"), space)
    return space["Orrery"], said


class Spec:
    """As much of a Spack spec as cmake_args asks for."""
    def __init__(self, on, blas="openblas"):
        self.on, self.blas = on, blas
        self.variants = {name: types.SimpleNamespace(value=name in on) for name in ("cuda", "mpi", "python")}
        self.variants["cuda_arch"] = types.SimpleNamespace(value=("80", "90"))

    def satisfies(self, constraint):
        if constraint.startswith("+"):
            return constraint[1:] in self.on
        assert constraint.startswith("^[virtuals=blas,lapack] "), constraint
        return constraint.split()[-1] == self.blas


def spack_options(*on, blas="openblas"):
    recipe, _ = spack_recipe()
    package = recipe()
    package.spec, package.run_tests = Spec(on, blas), False
    return package.cmake_args()


def examine_spack():
    _, said = spack_recipe()
    variants = {args[0] for args, _ in said["variant"]}
    check(variants == {"cuda", "mpi", "python"}, f"variants {variants}")
    dependencies = [re.match("[a-z0-9-]+", args[0]).group() for args, _ in said["depends_on"]]
    for needed in ("c", "cmake", "pkgconfig", "starpu", "hwloc", "blas", "lapack", "zlib-api", "mpi", "python"):
        check(needed in dependencies, f"no dependency {needed}")
    for directive in ("depends_on", "conflicts"):
        for args, named in said[directive]:
            for variant in re.findall(r"[+~]([a-z]+)", named.get("when", "")):
                check(variant in variants, f"{directive} {args}: no variant {variant}")
    least = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", text("CMakeLists.txt")).group(1)
    check(any(args[0] == f"cmake@{least}:" for args, _ in said["depends_on"]), f"cmake is not {least} or later")
    cuda = spack_options("cuda")
    check("-DORR_CUDA:BOOL=ON" in cuda and "-DCMAKE_CUDA_ARCHITECTURES:STRING=80;90" in cuda, f"+cuda: {cuda}")
    check("-DORR_MPI:BOOL=ON" in spack_options("mpi"), "+mpi")
    check("-DBLA_VENDOR:STRING=Intel10_64lp_seq" in spack_options(blas="intel-oneapi-mkl"), "MKL")
    if shutil.which("flake8"):  # with the rules of Spack for packages
        done = subprocess.run(["flake8", "--max-line-length", "99", "--extend-ignore", "F403,F405,F821",
                               os.path.join(source, "packaging/spack")], capture_output=True, text=True)
        check(done.returncode == 0, f"flake8: {done.stdout}")
    else:
        print("no flake8: style of package.py not checked")


# ---- Guix --------------------------------------------------------------------------------


def read_scheme(code):
    """Nested lists of words; strings are kept with their quotes."""
    tokens = re.findall(r'"(?:\\.|[^"\\])*"|;[^\n]*|#~\(|`\(|[()]|[^\s()";]+', code)
    stack = [[]]
    for token in tokens:
        if token.startswith(";"):
            continue
        if token.endswith("(") and not token.startswith('"'):
            stack.append([])
        elif token == ")":
            check(len(stack) > 1, "orrery.scm: one ) too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    check(len(stack) == 1, f"orrery.scm: {len(stack) - 1} ( not closed")
    return stack[0]


def after(key, tree):
    """What follows the word `key`, wherever it is."""
    for k, node in enumerate(tree):
        if node == key:
            return tree[k + 1]
        if isinstance(node, list):
            found = after(key, node)
            if found is not None:
                return found
    return None


def guix_options():
    tree = read_scheme(text("packaging/guix/orrery.scm"))
    flags = [flag.strip('"') for flag in after("#:configure-flags", tree)[1:]]
    return flags + [f"-DCMAKE_BUILD_TYPE={after('#:build-type', tree)}".replace('"', "")]


# ---- Both --------------------------------------------------------------------------------


def run(log, *words, **named):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **named)
    check(done.returncode == 0, f"{log}: {' '.join(words)}\n{done.stdout[-4000:]}")
    return done.stdout


def configure_and_build(name, options, build):
    with tempfile.TemporaryDirectory() as work:
        prefix = os.path.join(work, "prefix")
        tree = os.path.join(work, "build")
        # beside the recipes' own: what the two build systems always pass
        always = ["-G", "Unix Makefiles", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_LIBDIR=lib", f"-DCMAKE_C_COMPILER={cc}"]
        said = run(name, cmake, "-S", source, "-B", tree, *always, *options)
        check("not used by the project" not in said, f"{name}: unknown options\n{said[-1500:]}")
        with open(os.path.join(tree, "CMakeCache.txt"), encoding="utf-8") as f:
            cache = dict(re.findall(r"^([A-Za-z_0-9]+):[A-Z]+=(.*)$", f.read(), flags=re.M))
        for option in options:
            key, value = re.match(r"-D([A-Za-z_0-9]+)(?::[A-Z]+)?=(.*)", option).groups()
            check(cache.get(key) == value, f"{name}: {key} is {cache.get(key)}, not {value}")
        if not build or failures:
            return
        run(name, cmake, "--build", tree, "--parallel", os.environ.get("JOBS", str(os.cpu_count())))
        run(name, cmake, "--install", tree)
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "orrery"], capture_output=True, text=True, check=True,
                               env=dict(os.environ, PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig")).stdout.split()
        program = os.path.join(work, "first")
        run(name, cc, os.path.join(source, "examples/first.c"), "-o", program, *flags, f"-Wl,-rpath,{prefix}/lib")
        said = run(name, program, env=dict(os.environ, STARPU_SILENT="1"))
        check("matrix 1: -1 9" in said, f"{name}: the example printed {said}")
        run(name, f"{prefix}/bin/orrery", "--version")
        print(f"{name}: built, installed and used")


def versions():
    version = re.search(r"^project\(orrery VERSION ([0-9.]+)", text("CMakeLists.txt"), flags=re.M).group(1)
    for path, pattern in (("packaging/python/pyproject.toml", r'^version = "([^"]+)"'),
                          ("packaging/python/orrery/_library.py", r'^VERSION = "([^"]+)"'),
                          ("CITATION.cff", r"^version: (\S+)"),
                          ("packaging/debian/changelog", r"^orrery \(([0-9.]+)-"),
                          ("packaging/guix/orrery.scm", r'\(version "([^"]+)"\)')):
        found = re.search(pattern, text(path), flags=re.M)
        check(found and found.group(1) == version, f"{path}: version {found and found.group(1)}, and CMakeLists.txt has {version}")


versions()
examine_spack()
if not failures:
    for title, chosen in (("Spack", spack_options()), ("Guix", guix_options())):
        print(title, *chosen)
        configure_and_build(title, chosen, "--build" in sys.argv)
print(f"{len(failures)} wrong")
sys.exit(bool(failures))
