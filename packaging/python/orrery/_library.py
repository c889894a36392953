"""liborrery: where it is, its structs, its functions. The structs are those of include/orrery;
tests/python/layout.py compares them with what the C compiler makes of the headers.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os
import subprocess
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_uint64, c_void_p

VERSION = "0.1.0"
SONAME = "liborrery.so.0"
HERE = os.path.dirname(os.path.abspath(__file__))


def _struct(name, *groups):
    """A ctypes struct of groups (type, "field field ...")."""
    fields = [(field, kind) for kind, names in groups for field in names.split()]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


progress_fn = ctypes.CFUNCTYPE(None, c_int64, c_int64, c_void_p)
_PROGRESS = (progress_fn, "progress"), (c_void_p, "progress_arg")

orr_context_opts = _struct("orr_context_opts", (c_int, "cpus cudas opencls"), (c_char_p, "sched model_dir"),
                           (c_int, "trace calibrate in_flight samples"), (c_void_p, "message mpi_comm"))
orr_context_info = _struct("orr_context_info", (c_int, "cpu cuda opencl owned max_cpus has_cuda"),
                           (c_char * 64, "sched"), (c_char * 16, "starpu"), (c_char * 128, "blas"),
                           (c_char * 16, "cuda_version"), (c_char * 512, "model_dir model_source"),
                           (c_char * 64, "model_machine"), (c_int, "rank ranks"), (c_char * 64, "mpi"))
orr_report = _struct("orr_report", (c_int, "status"), (c_char_p, "culprit"), (c_int64, "index tasks"),
                     (c_double, "seconds"), (c_char * 512, "plan"), (c_char * 256, "message"))
orr_batch = _struct("orr_batch", (c_int, "type"), (c_int64, "batch m n"), (c_void_p, "a"), (c_int64, "ld stride"),
                    (c_void_p, "ms ns lds as"))
orr_matrix_info = _struct("orr_matrix_info", (c_int32, "status sweeps method device"),
                          (c_double, "off residual orthogonality norm"))
orr_heevj_opts = _struct("orr_heevj_opts", (c_char, "jobz uplo"), (c_int, "max_sweeps"), (c_double, "tol"),
                         (c_int, "method"), (c_int64, "chunk"), (c_int, "check"), *_PROGRESS, (c_int, "accuracy"))
orr_hbev_opts = _struct("orr_hbev_opts", (c_int64, "il iu"), (c_double, "vl vu"), (c_void_p, "found"), (c_int, "place"),
                        *_PROGRESS, (c_int, "method"))
orr_heev_opts = _struct("orr_heev_opts", (c_int64, "band tile il iu"), (c_int, "place"), *_PROGRESS,
                        (c_int, "method"), (c_double, "vl vu"), (c_void_p, "found"))
orr_hegv_opts = _struct("orr_hegv_opts", (c_int, "problem"), (orr_heev_opts, "heev"))
orr_gesvd_opts = _struct("orr_gesvd_opts", (c_int64, "band tile"), (c_int, "qr place"), *_PROGRESS,
                         (c_int, "method"))
orr_gesvj_opts = _struct("orr_gesvj_opts", (c_int, "max_sweeps"), (c_double, "tol"), (c_int, "precondition block"),
                         (c_int64, "chunk"), (c_int, "bundle place check"), *_PROGRESS)
orr_sparse_opts = _struct("orr_sparse_opts", (c_char, "type"), (c_int, "format"), (c_int64, "blocks"),
                          (c_int, "transpose graph unweighted keep_zeros full rule_only"), (c_char, "order"))
orr_sparse_info = _struct("orr_sparse_info", (c_int, "type"),
                          (c_int64, "rows cols nnz duplicates zeros empty_rows longest_row slots bytes blocks"),
                          (c_int64 * 8, "by_format"), (c_int64, "narrow pattern"),
                          (c_int, "hermitian skew nonnegative acyclic graph by_degree"),
                          (c_double, "norm_1 norm_inf norm_fro"))
orr_powm_opts = _struct("orr_powm_opts", (c_int, "method which k basis"), (c_double, "tol"),
                        (c_int64, "max_products fixed_steps"), (c_int, "lookahead"), (c_int64, "steps_per_task"),
                        (c_uint64, "seed"), (c_void_p, "transposed"), *_PROGRESS)
orr_eigenpair = _struct("orr_eigenpair", (c_double, "re im residual relative low high"), (c_int, "dominant"))
orr_powm_result = _struct("orr_powm_result", (c_int64, "products steps"), (c_int, "found converged"),
                          (c_char * 32, "name"), (c_char * 256, "note"), (c_double, "tol largest"))
orr_pagerank_opts = _struct("orr_pagerank_opts", (c_double, "alpha tol"), (c_int64, "max_steps fixed_steps"),
                            (c_char, "dangling"), (c_void_p, "personal"), (c_char, "extrapolate"),
                            (c_int, "lookahead"), (c_int64, "steps_per_task"), *_PROGRESS)
orr_pagerank_result = _struct("orr_pagerank_result", (c_int64, "steps"), (c_double, "change bound sum"),
                              (c_int64, "dangling"), (c_int, "extrapolated"), (c_char * 256, "note"))

STRUCTS = [s for name, s in sorted(globals().items()) if name.startswith("orr_")]

OK, E_ARG, E_NOMEM, E_NOWORKER, E_SCHED, E_NONFINITE, E_CANCELLED, E_DEFINITE = 0, -1, -2, -4, -6, -7, -8, -9
NOCONV, NONFINITE, RANGE = 1, 2, 3
METHODS = {None: 0, "jacobi": 1, "block": 2, "lapack": 3, "lanes": 4}
ACCURACIES = {None: 0, "relative": 1}

_P = c_void_p
_FUNCTIONS = {  # name: result, arguments
    "orr_version": (c_char_p,),
    "orr_strerror": (c_char_p, c_int),
    "orr_open": (c_int, POINTER(orr_context_opts), POINTER(_P)),
    "orr_close": (None, _P),
    "orr_cancel": (None, _P),
    "orr_context_query": (None, _P, POINTER(orr_context_info)),
    "orr_heevj": (c_int, _P, POINTER(orr_batch), POINTER(orr_batch), POINTER(orr_heevj_opts), _P, POINTER(orr_report)),
    "orr_heev": (c_int, _P, c_int, c_char, c_int64, _P, c_int64, _P, _P, c_int64, POINTER(orr_heev_opts),
                 POINTER(orr_report)),
    "orr_hegv": (c_int, _P, c_int, c_char, c_int64, _P, c_int64, _P, c_int64, _P, _P, c_int64, POINTER(orr_hegv_opts),
                 POINTER(orr_report)),
    "orr_gesvj": (c_int, _P, *4 * [POINTER(orr_batch)], POINTER(orr_gesvj_opts), _P, POINTER(orr_report)),
    "orr_gesvd": (c_int, _P, c_int, c_int64, c_int64, _P, c_int64, _P, _P, c_int64, _P, c_int64,
                  POINTER(orr_gesvd_opts), POINTER(orr_report)),
    "orr_hbev": (c_int, _P, c_int, c_char, c_int64, c_int64, _P, c_int64, _P, _P, c_int64, POINTER(orr_hbev_opts),
                 POINTER(orr_report)),
    "orr_sparse_from_csr": (c_int, _P, c_int64, c_int64, _P, _P, _P, c_int, POINTER(orr_sparse_opts), POINTER(_P),
                            c_char * 256),
    "orr_sparse_free": (None, _P),
    "orr_sparse_query": (None, _P, POINTER(orr_sparse_info)),
    "orr_sparse_multiply": (c_int, _P, _P, _P, _P, POINTER(orr_report)),
    "orr_powm": (c_int, _P, _P, POINTER(orr_powm_opts), POINTER(orr_eigenpair), _P, POINTER(orr_powm_result),
                 POINTER(orr_report)),
    "orr_pagerank": (c_int, _P, _P, POINTER(orr_pagerank_opts), _P, POINTER(orr_pagerank_result), POINTER(orr_report)),
}


def _pkg_config():
    try:
        found = subprocess.run(["pkg-config", "--variable=libdir", "orrery"], capture_output=True, text=True, check=True)
        return os.path.join(found.stdout.strip(), SONAME)
    except (OSError, subprocess.CalledProcessError):
        return None


def _places():
    """Where the library may be: named by the user, by whoever installed the package, by the system."""
    if os.environ.get("ORRERY_LIBRARY"):
        yield os.environ["ORRERY_LIBRARY"]
        return
    if os.path.exists(os.path.join(HERE, "library-path")):
        with open(os.path.join(HERE, "library-path"), encoding="utf-8") as f:
            yield os.path.join(HERE, f.read().strip())
    yield SONAME
    installed = _pkg_config()
    if installed:
        yield installed


def _load():
    tried = []
    for place in _places():
        try:
            lib = ctypes.CDLL(place)
            for name, (result, *arguments) in _FUNCTIONS.items():
                function = getattr(lib, name)
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as e:
            tried.append(f"{place}: {e}")
            continue
        version = lib.orr_version().decode()
        if version == VERSION:
            return lib, place
        tried.append(f"{place}: version {version}, and this package is for {VERSION}")
    raise ImportError("liborrery was not found; ORRERY_LIBRARY=PATH names it. Tried:\n  " + "\n  ".join(tried))


lib, path = _load()
