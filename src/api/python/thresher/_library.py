# _library.py - libthresher through ctypes: where it is, what it has, what it says
# SPDX-License-Identifier: MIT
"""The C library of Thresher, as its header thresher.h describes it."""

import ctypes
import os
import pathlib
import sysconfig
import threading

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_void_p)

NAME = "libthresher.so.0"


def _candidates():
    """Paths to try: as told, beside the package, in the prefix above it, by name."""
    told = os.environ.get("THRESHER_LIBRARY")
    if told:
        path = pathlib.Path(told)
        return [path / NAME if path.is_dir() else path]
    here = pathlib.Path(__file__).resolve()
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    found = [here.parent / NAME]
    for above in here.parents[1:5]:
        found += [above / folder / NAME for folder in ("lib", "lib64", "lib/" + multiarch)]
    return [path for path in found if path.is_file()] + [NAME]


def _load():
    why = ""
    for path in _candidates():
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:
            why = str(error)
    raise ImportError(
        f"thresher: the library {NAME} was not found ({why}); install Thresher, add its "
        "folder to LD_LIBRARY_PATH, or set THRESHER_LIBRARY to the file")


library = _load()

# One thread at a time calls the library (thresher.h).
lock = threading.RLock()

# ---- what thresher.h declares ----

F32, F64, U8, I8 = range(4)
OK, EARG, ENOMEM, EIO, EFORMAT, EDATA, EBUDGET, ENUMERIC, EUSAGE, ESTOPPED = range(10)
AUTO, TEST, TRAIN, ALL = range(4)


class Error(Structure):
    _fields_ = [("status", c_int), ("rank", c_int), ("text", c_char * 960)]


class Dense(Structure):
    _fields_ = [("values", c_void_p), ("type", c_int), ("examples", c_int64),
                ("attributes", c_int64), ("example_stride", c_int64),
                ("attribute_stride", c_int64)]


class Sparse(Structure):
    _fields_ = [("values", c_void_p), ("type", c_int), ("index", c_void_p),
                ("start", c_void_p), ("index_bits", c_int), ("start_bits", c_int),
                ("by_attributes", c_int), ("entries", c_int64), ("examples", c_int64),
                ("attributes", c_int64)]


class Beside(Structure):
    _fields_ = [("targets", c_void_p), ("weights", c_void_p), ("names", POINTER(c_char_p)),
                ("ids", POINTER(c_char_p)), ("storage", c_int), ("test", c_double),
                ("in_order", c_int), ("own", c_int)]


class Progress(Structure):
    _fields_ = [("done", c_double), ("updates", c_int64), ("examples", c_int64),
                ("observed", c_int64), ("support_size", c_int64), ("loss", c_double)]


ON_PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))
ON_NOTICE = CFUNCTYPE(None, c_void_p, c_char_p)
ON_STOP = CFUNCTYPE(c_int, c_void_p)


class Listener(Structure):
    _fields_ = [("self", c_void_p), ("progress", ON_PROGRESS), ("notice", ON_NOTICE),
                ("stop", ON_STOP)]


class Ledger(Structure):
    _fields_ = [(name, c_int64) for name in
                ("examples", "attributes", "distinct_attributes", "most_of_one",
                 "validation_examples", "validation_attributes", "passes")]


class Path(Structure):
    _fields_ = [(name, c_int64) for name in ("points", "folds", "best", "one_se", "chosen")] + [
        ("lambda_", POINTER(c_double)), ("loss", POINTER(c_double)), ("se", POINTER(c_double)),
        ("intercept", POINTER(c_double)), ("start", POINTER(c_int64)),
        ("attribute", POINTER(c_int64)), ("coefficient", POINTER(c_double))]


_OBJECT = c_void_p
_OUT = POINTER(c_void_p)
_ERROR = POINTER(Error)

# Result and arguments. Those that return a status have an error as their last argument.
_FUNCTIONS = {
    "version": (c_char_p,),
    "team_mpi": (c_int, _OUT, c_int, _ERROR),
    "team_self": (c_int, _OUT, _ERROR),
    "team_free": (None, _OBJECT),
    "team_rank": (c_int, _OBJECT),
    "team_size": (c_int, _OBJECT),
    "data_open": (c_int, _OUT, _OBJECT, c_char_p, c_int64, _ERROR),
    "data_from_dense": (c_int, _OUT, _OBJECT, POINTER(Dense), POINTER(Beside), c_int64, _ERROR),
    "data_from_sparse": (c_int, _OUT, _OBJECT, POINTER(Sparse), POINTER(Beside), c_int64, _ERROR),
    "data_close": (None, _OBJECT),
    "data_examples": (c_int64, _OBJECT),
    "data_training": (c_int64, _OBJECT),
    "data_attributes": (c_int64, _OBJECT),
    "data_count": (c_int64, _OBJECT, c_int),
    "config_create": (c_int, _OUT, _ERROR),
    "config_free": (None, _OBJECT),
    "config_set": (c_int, _OBJECT, c_char_p, c_char_p, _ERROR),
    "config_get": (c_int, _OBJECT, c_char_p, c_char_p, c_size_t, _ERROR),
    "config_name": (c_char_p, c_int),
    "config_help": (c_char_p, c_int, c_char_p, c_size_t),
    "train": (c_int, _OUT, _OBJECT, _OBJECT, POINTER(Listener), _ERROR),
    "model_read": (c_int, _OUT, _OBJECT, c_char_p, _ERROR),
    "model_write": (c_int, _OBJECT, _OBJECT, c_char_p, c_int, _ERROR),
    "model_free": (None, _OBJECT),
    "model_attributes": (c_int64, _OBJECT),
    "model_support_size": (c_int64, _OBJECT),
    "model_support": (POINTER(c_int64), _OBJECT),
    "model_coefficients": (POINTER(c_double), _OBJECT),
    "model_intercept": (c_double, _OBJECT),
    "model_name": (c_char_p, _OBJECT, c_int64),
    "model_column": (c_int64, _OBJECT, c_int64),
    "model_means": (POINTER(c_double), _OBJECT),
    "model_solver": (c_char_p, _OBJECT),
    "model_loss": (c_char_p, _OBJECT),
    "model_setting": (c_char_p, _OBJECT, c_int64, POINTER(c_char_p)),
    "model_ledger": (Ledger, _OBJECT),
    "model_lambda": (c_double, _OBJECT),
    "model_objective": (c_double, _OBJECT),
    "model_gap": (c_double, _OBJECT),
    "model_path": (Path, _OBJECT),
    "predict": (c_int, _OBJECT, _OBJECT, c_int, c_void_p, c_void_p, c_void_p, _ERROR),
    "apply_dense": (c_int, _OBJECT, POINTER(Dense), c_void_p, _ERROR),
    "apply_sparse": (c_int, _OBJECT, POINTER(Sparse), c_void_p, _ERROR),
}


def _declare():
    for name, (result, *arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, "thresher_" + name)
        except AttributeError:
            raise ImportError(
                f"thresher: the library {library._name} has no thresher_{name}; it is of "
                "another version than the package: install both anew") from None
        function.restype = result
        function.argtypes = arguments


_declare()

# ---- failures ----


class ThresherError(Exception):
    """What the library says of a failure, in one line; `status` is its code."""

    status = None


class ThresherValueError(ThresherError, ValueError):
    """Data, options or arguments that cannot be used."""


class ThresherIOError(ThresherError, OSError):
    """Reading or writing has failed."""


class ThresherMemoryError(ThresherError, MemoryError):
    """There is too little memory."""


class ThresherArithmeticError(ThresherError, ArithmeticError):
    """A number went out of its range."""


_KINDS = {EARG: ThresherValueError, EDATA: ThresherValueError, EUSAGE: ThresherValueError,
          EFORMAT: ThresherValueError, EIO: ThresherIOError, ENOMEM: ThresherMemoryError,
          ENUMERIC: ThresherArithmeticError}


def call(name, *arguments):
    """Call a function that returns a status; raise what it says."""
    error = Error()
    with lock:
        status = getattr(library, "thresher_" + name)(*arguments, ctypes.byref(error))
    if status != OK:
        failure = _KINDS.get(status, ThresherError)(error.text.decode("utf-8", "replace"))
        failure.status = status
        raise failure


def ask(name, *arguments):
    """Call a function that cannot fail."""
    with lock:
        return getattr(library, "thresher_" + name)(*arguments)


class Handle:
    """An object of the library, which is released with this one."""

    def __init__(self, free):
        self.pointer = c_void_p()
        self._free = getattr(library, "thresher_" + free)

    @property
    def out(self):
        return ctypes.byref(self.pointer)

    def close(self):
        if self.pointer:
            with lock:
                self._free(self.pointer)
            self.pointer = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def __del__(self):
        self.close()


def options():
    """Names of the options of training, in the order of the program's table."""
    names = []
    while True:
        name = ask("config_name", len(names))
        if name is None:
            return names
        names.append(name.decode())


def option_help(k):
    text = ctypes.create_string_buffer(4096)
    ask("config_help", k, text, len(text))
    return text.value.decode()


def team(comm=None):
    """The ranks of a communicator of mpi4py, or this process alone."""
    handle = Handle("team_free")
    if comm is None:
        call("team_self", handle.out)
    else:
        call("team_mpi", handle.out, comm.py2f())
    return handle
