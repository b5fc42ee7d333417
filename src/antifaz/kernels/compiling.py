"""`njit` is Numba's, but for this: Numba is imported when a kernel is first called, and not for a small table.

To import Numba and to load a kernel takes longer than all else that a run on a thousand rows does, and to compile one
takes seconds. A kernel may therefore have a fallback by NumPy: the same result, to the bit. Fallbacks do what is small,
until they have taken as long in all as Numba would have taken to load.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from threading import RLock
from time import perf_counter
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: What fallbacks may do in a process before Numba is loaded, in entries that are sorted, of which one takes 0.1 µs; and
#: what a call costs. A call with more entries than the last number is of a run that Numba pays for.
_BUDGET, _CALL, _LARGE_CALL = 6_000_000, 400, 1_500_000
_lock = RLock()
_left = float(_BUDGET)
#: Called with the name of a kernel before it is compiled, and again after, with the seconds that it took.
Listener = Callable[[str, float | None], None]
_listeners: list[Listener] = []


class Kernel:
    """A function that is compiled, or loaded from Numba's cache, when it is first called."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        """Take note of the function and of Numba's options."""
        update_wrapper(self, function)
        self.py_func = function
        self._options = options
        self._fallback: Callable[..., Any] | None = None
        self._price = 1.0
        self._dispatcher: Any = None
        self._linked = False

    def numpy_fallback(self, price: float = 1.0) -> Callable[[F], F]:
        """Make a function the fallback; `price` is what an entry of its first array costs beside one that is sorted."""

        def decorate(function: F) -> F:
            self._fallback, self._price = function, price
            return function

        return decorate

    def __call__(self, *args: Any) -> Any:
        """Call the fallback for what is small, else, or where it returns `NotImplemented`, what Numba compiled."""
        if self._fallback is not None and small(self._price * getattr(args[0], "size", 0)):
            found = self._fallback(*args)
            if found is not NotImplemented:
                return found
        return self.compiled(*args)

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher of the function, which the kernels of its module find under its name from now on."""
        if not self._linked:
            with _lock:
                self._link()
        return self._dispatcher

    def _link(self) -> None:
        """Make the dispatcher, and those of all kernels that it can lead to; no thread may call one before."""
        linked: list[Kernel] = []
        waiting = [self]
        while waiting:
            kernel = waiting.pop()
            if kernel._linked or kernel in linked:
                continue
            linked.append(kernel)
            if kernel._dispatcher is None:
                made = load_numba().njit(**kernel._options)(kernel.py_func)
                kernel._dispatcher = _without_refresh(_once_per_type(made))
            waiting += (part for part in kernel.py_func.__globals__.values() if isinstance(part, Kernel))
        for kernel in linked:
            names = kernel.py_func.__globals__
            names.update({name: part._dispatcher for name, part in names.items() if isinstance(part, Kernel)})
        for kernel in linked:
            kernel._linked = True


def _once_per_type(dispatcher: Any) -> Any:
    """Have calls from other kernels with 0 and with 1 compile one function and not two, as Numba would do it."""
    unliteral = import_module("numba.core.types").unliteral
    template_for = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template_for(
        tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
    )
    return dispatcher


def _without_refresh(dispatcher: Any) -> Any:
    """Have what is in Numba's cache loaded without all that Numba knows to compile: importing it takes longer.

    Whatever compiles refreshes the context itself. The runtime, for arrays made in kernels, is all that is needed here.
    """
    load, runtime = dispatcher._cache.load_overload, import_module("numba.core.runtime").rtsys

    def loaded(signature: Any, context: Any) -> Any:
        runtime.initialize(context)
        context.refresh = lambda: None  # Numba holds its lock meanwhile
        try:
            return load(signature, context)
        finally:
            del context.refresh

    dispatcher._cache.load_overload = loaded
    return dispatcher


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a function; the options are those of Numba's `njit`."""
    # No kernel is handed over as a C function, so the wrapper for that is not compiled.
    return lambda function: Kernel(function, {"no_cfunc_wrapper": True, **options})


def small(entries: float) -> bool:
    """Whether NumPy should do what has so many entries: Numba is not loaded, and loading it would take longer."""
    global _left
    if "numba" in sys.modules or _left < entries + _CALL or entries > _LARGE_CALL:
        return False
    _left -= entries + _CALL
    return True


def all_kernels() -> Iterator[Any]:
    """Go through Numba's dispatchers of all kernels."""
    package = __name__.rpartition(".")[0]
    for module in iter_modules(import_module(package).__path__, f"{package}."):
        for part in list(vars(import_module(module.name)).values()):
            own = getattr(part, "py_func", None)
            if own is not None and own.__module__ == module.name:
                yield part.compiled if isinstance(part, Kernel) else part


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell a listener of every kernel that has to be compiled meanwhile."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def load_numba() -> Any:
    """Import Numba, after which fallbacks have no more to do, and tell the listeners of what it compiles."""
    import numba
    from numba.core import event

    with _lock:
        if not _watching:
            sys.meta_path.insert(0, _SpareSciPy())
            _watching.append(_watch(event))
            event.register("numba:compile", _watching[0])
    return numba


_watching: list[Any] = []


class _SpareSciPy:
    """Keeps Numba from importing SciPy's linear algebra with its arrays, which takes as long as Numba itself.

    They only ask whether it is there, and are told so once. What multiplies matrices asks again when it is compiled,
    and gets it. Whoever else imports SciPy sees nothing of it.
    """

    _arrays = "numba.np.arraymath"

    def find_spec(self, name: str, *_: Any) -> None:
        """Wait for the import of Numba's arrays, and leave finding them to others."""
        if name == self._arrays and find_spec("scipy") is not None:
            sys.meta_path.remove(self)
            linear: Any = import_module("numba.np.linalg")
            ask = linear.ensure_blas

            def answer() -> None:
                linear.ensure_blas = sys.modules[name].ensure_blas = ask  # type: ignore[attr-defined]

            linear.ensure_blas = answer


def _watch(event: Any) -> Any:
    began: list[float] = []

    class Watch(event.Listener):  # type: ignore[misc]  # Numba has no types
        """Hears of each kernel that is compiled; those that it calls are part of it."""

        def on_start(self, event: Any) -> None:
            began.append(perf_counter())
            if len(began) == 1:
                _tell(event, None)

        def on_end(self, event: Any) -> None:
            since = began.pop()
            if not began:
                _tell(event, perf_counter() - since)

    return Watch()


def _tell(event: Any, seconds: float | None) -> None:
    function = event.data["dispatcher"].py_func
    package, _, module = function.__module__.rpartition(".")
    if package == __name__.rpartition(".")[0]:
        for listener in list(_listeners):
            listener(f"{module}.{function.__name__}", seconds)
