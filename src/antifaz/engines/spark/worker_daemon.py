"""The process that Spark forks its Python workers from: `python -m antifaz.engines.spark.worker_daemon`.

PySpark's own imports nothing before it forks, so that every worker imports the same libraries, for a second each.
"""

import gc
import os
import sys
import zipimport
from contextlib import suppress

from antifaz.core.machine import ONE_THREAD, running_threads

os.environ.update(ONE_THREAD)  # before anything else is imported

import pyarrow.compute  # noqa: F401
from pyspark import daemon, worker  # noqa: F401

from antifaz.counting import tuple_batches  # noqa: F401
from antifaz.engines.spark import reading  # noqa: F401

with suppress(ImportError):  # PySpark imports it where it is installed
    import pandas  # noqa: F401

if __name__ == "__main__":
    if running_threads() != 1:  # a library has started some after all, or nobody knows
        os.execv(sys.executable, [sys.executable, "-m", "pyspark.daemon", *sys.argv[1:]])  # noqa: S606
    # PySpark looks for new modules before each task, for which Python reads the lists of Spark's own archives again.
    zipimport.zipimporter.invalidate_caches = lambda self: None  # type: ignore[method-assign]
    gc.freeze()  # else each worker copies the pages of what it never changes
    daemon.manager()
