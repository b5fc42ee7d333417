"""The process that Spark forks its Python workers from: `python -m antifaz.engines.spark.worker_daemon`.

PySpark's own imports nothing before it forks, so that every worker imports the same libraries, for a second each.
"""

import gc
import os

# No thread may run when a process forks; those of OpenBLAS start when NumPy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import pandas  # noqa: E402, F401
import pyarrow.compute  # noqa: E402, F401
from pyspark import daemon, worker  # noqa: E402, F401

from antifaz.engines.spark import reading, remote_executor  # noqa: E402, F401

if __name__ == "__main__":
    gc.freeze()  # else each worker copies the pages of what it never changes
    daemon.manager()
