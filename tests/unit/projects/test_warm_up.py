"""Warming up compiles what is not compiled yet, and says each kernel with its seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from antifaz.projects.warm_up import _works, people

_CODE = """
import json
import numpy as np
from antifaz.kernels.grouping import order_cells
from antifaz.projects import warm_up

def order():
    order_cells(np.zeros(9, np.int64), np.array([0, 9]), np.empty(9, np.int64))

warm_up._works = lambda table, folder: iter([order, order])
told = []
took = warm_up.warm_up(lambda *kernel: told.append(kernel))
print(json.dumps([told, took]))
"""


def test_each_kernel_is_compiled_and_told_once(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    results = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, check=True, env=environment)
        results.append(json.loads(done.stdout))
    ((name, seconds),), took = results[0]
    assert name == "grouping.order_cells"
    assert seconds > 0
    assert took == {name: seconds}
    assert results[1] == [[], {}]


def test_every_method_is_tried(tmp_path):
    from antifaz.methods import METHODS

    works = list(_works(people(400, seed=1), tmp_path))
    tried = {argument for work in works for argument in work.args if isinstance(argument, type)}
    assert set(METHODS) <= tried
