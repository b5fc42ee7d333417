"""What this machine has for the program: processors, memory, processes, and folders of their own."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path


def processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def available_memory() -> int:
    """Return the bytes of memory this process could get now, or 0 where the system does not say."""
    limits = []
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(int(line.split()[1]) * 1024)
    # In a container the machine's memory is not ours.
    with suppress(OSError, ValueError):
        ceiling = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
        limits.append(max(ceiling - used, 0))
    if not limits:
        with suppress(AttributeError, OSError, ValueError):
            limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(limits, default=0)


def is_alive(process: int) -> bool:
    """Say whether a process of that number runs."""
    if os.name != "posix":
        return True  # os.kill would end the process there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def remove_leftovers(prefix: str) -> None:
    """Remove the temporary folders under a prefix whose processes were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        owner = folder.name.removeprefix(prefix).split("-")[0]
        if owner.isdigit() and not is_alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def private_folder(prefix: str) -> Path:
    """Make a temporary folder of this process."""
    remove_leftovers(prefix)
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))
