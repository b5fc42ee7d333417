"""Numba is loaded when a kernel is called that no fallback can do, and who listens hears what is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antifaz.kernels import compiling, grouping

_GROUP = """
import sys
import numpy as np
from antifaz.kernels import compiling
from antifaz.kernels.grouping import order_cells

def order(many):
    out = np.empty(many, np.int64)
    order_cells(np.zeros(many, np.int64), np.array([0, many]), out)
    return "numba" in sys.modules
"""


def _run(code: str, cache: Path) -> list[str]:
    """Run code in a new interpreter that has nothing compiled."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", _GROUP + code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_small_table_needs_no_numba_and_a_large_one_does(tmp_path):
    assert _run("print(order(1000), order(compiling._BUDGET), order(10))", tmp_path) == ["False", "True", "True"]


def test_what_only_a_large_run_asks_for_is_numbas_at_once(tmp_path):
    code = "print(order(compiling._LARGE_CALL), order(compiling._LARGE_CALL + 1))"
    assert _run(code, tmp_path) == ["False", "True"]


def test_fallbacks_work_no_longer_than_numba_takes_to_load(tmp_path):
    code = "print(sum(not order(100_000) for _ in range(100)))"
    assert _run(code, tmp_path) == [str(int(compiling._BUDGET / (100_000 + compiling._CALL)))]


def test_who_listens_hears_of_a_kernel_before_and_after_it_is_compiled_once(tmp_path):
    code = """
compiling.load_numba()
with compiling.listening(lambda *heard: print(*heard)):
    order(10), order(20)
order(30)
"""
    name, before, again, seconds = _run(code, tmp_path)
    assert (name, before, again) == ("grouping.order_cells", "None", "grouping.order_cells")
    assert float(seconds) > 0
    assert _run(code, tmp_path) == []  # it was loaded


def test_all_kernels_are_made_by_this_module_and_are_listed():
    listed = {kernel.py_func for kernel in compiling.all_kernels()}
    assert {grouping.group_keys.py_func, grouping.order_cells.py_func} <= listed
    texts = {path.name: path.read_text() for path in Path(compiling.__file__).parent.glob("*.py")}
    assert not [name for name, text in texts.items() if "from numba" in text and name != "compiling.py"]
    assert len(listed) == sum(text.count("\n@njit(") for text in texts.values())


def test_what_a_fallback_does_not_take_on_goes_to_numba(monkeypatch: pytest.MonkeyPatch):
    def double(x):
        return 2 * x

    kernel = compiling.njit()(double)
    monkeypatch.setattr(compiling, "small", lambda entries: True)
    kernel.numpy_fallback()(lambda x: NotImplemented if x < 0 else -1)
    assert (kernel(-3), kernel(3)) == (-6, -1)


def test_no_thread_calls_a_kernel_before_all_that_it_calls_are_numbas(tmp_path):
    """One that was called in between found kernels that Numba does not know."""
    code = """
from antifaz.kernels import diverse_growing
kernel, seen, make = diverse_growing.grow_diverse, [], compiling._once_per_type
compiling._once_per_type = lambda dispatcher: seen.append(kernel._linked) or make(dispatcher)
kernel.compiled
left = [one for one in vars(diverse_growing).values() if isinstance(one, compiling.Kernel)]
print(len(seen) > 10, any(seen), kernel._linked, len(left))
"""
    assert _run(code, tmp_path) == ["True", "False", "True", "0"]


def test_numba_comes_without_scipys_linear_algebra_and_gets_it_for_a_product_of_matrices(tmp_path):
    code = """
numba = compiling.load_numba()
order(compiling._BUDGET)
print("scipy.linalg" in sys.modules)
product = numba.njit(lambda a, b: np.dot(a, b))(np.eye(2), 3 * np.eye(2))
print(product.sum(), "scipy.linalg" in sys.modules)
"""
    assert _run(code, tmp_path) == ["False", "6.0", "True"]


def test_no_other_thread_finds_an_empty_module_in_the_place_of_scipys(tmp_path):
    code = """
class Look:
    seen = []

    def find_spec(self, name, *_):
        self.seen.append("scipy.linalg.cython_blas" in sys.modules)

compiling.load_numba()
sys.meta_path.insert(0, Look())
order(compiling._BUDGET)
print("numba.np.arraymath" in sys.modules, len(Look.seen) > 10, any(Look.seen))
"""
    assert _run(code, tmp_path) == ["True", "True", "False"]
