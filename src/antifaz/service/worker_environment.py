"""The environment of workers: what programs need to run, and no secret of whoever started the service.

A worker connects to hosts that a user names. Whatever drivers would send there by themselves, such as PGPASSWORD or an
entry of ~/.pgpass, must not be there: variables are taken by a list of names, and the home folder is an empty one.
"""

import os
from pathlib import Path

from antifaz.storage.database import data_folder

#: The variable by which somebody asks to see where the program's own mistakes are; what they quote is shown then.
DEBUG = "ANTIFAZ_DEBUG"
#: Variables that workers get; a star stands for any end of a name.
_KEPT = (
    "PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME",
    "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "NUMBA_*", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "JAVA_HOME", "SPARK_HOME", "SPARK_SUBMIT_OPTS", "SPARK_LOCAL_IP", "HADOOP_HOME",
    "HADOOP_CONF_DIR", "YARN_CONF_DIR", "PYSPARK_PYTHON", "SYSTEMROOT", "ANTIFAZ_LEDGER", "ANTIFAZ_LEDGER_KEY", DEBUG,
)  # fmt: skip


def worker_environment(aside: Path) -> dict[str, str]:
    """Return the environment of a worker whose temporary files go to a folder, which is its home too."""
    kept = {name: value for name, value in os.environ.items() if _is_kept(name)}
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    own = {
        # Whatever is written aside, encrypted as it is, goes where the service removes it.
        "TMPDIR": str(aside), "HOME": str(aside), "XDG_CONFIG_HOME": str(aside), "PGPASSFILE": os.devnull,
        "PGSERVICEFILE": os.devnull, "PGSYSCONFDIR": str(aside),
        # As Windows calls them.
        "TEMP": str(aside), "TMP": str(aside), "USERPROFILE": str(aside),
        # The ledger and compiled kernels are where they are for everybody.
        "XDG_DATA_HOME": str(data_folder().parent), "XDG_CACHE_HOME": cache,
        # Arrow's allocator takes 1 GB at once otherwise; the limit of a worker counts it, and leaves little.
        "MIMALLOC_ARENA_EAGER_COMMIT": "0",
    }  # fmt: skip
    # Workers share the processors, and the threads of OpenBLAS wait for work without sleeping.
    return {"OPENBLAS_NUM_THREADS": "1"} | kept | own


def _is_kept(name: str) -> bool:
    return any(name.startswith(known[:-1]) if known.endswith("*") else name == known for known in _KEPT)
