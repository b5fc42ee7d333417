"""The process that Spark forks its Python workers from: `python -m antifaz.engines.spark.worker_daemon`.

PySpark's own imports nothing before it forks, so that every worker imports the same libraries, for a second each.
"""

import gc
import os
import zipimport
from contextlib import suppress

# No thread may run when a process forks; those of OpenBLAS start when NumPy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import pyarrow.compute  # noqa: F401
from pyspark import daemon, worker  # noqa: F401

from antifaz.counting import tuple_batches  # noqa: F401
from antifaz.engines.spark import reading  # noqa: F401

with suppress(ImportError):  # PySpark imports it where it is installed
    import pandas  # noqa: F401

if __name__ == "__main__":
    # PySpark looks for new modules before each task, for which Python reads the lists of Spark's own archives again.
    zipimport.zipimporter.invalidate_caches = lambda self: None  # type: ignore[method-assign]
    gc.freeze()  # else each worker copies the pages of what it never changes
    daemon.manager()
