"""What this machine has for the program: processors, memory, processes, a user, and folders of their own.

What only some systems have is asked for here, and in `core/locks.py` and `core/files.py`: a module that imports it by
itself can't be imported on the others.
"""

import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen

#: What keeps libraries from starting threads when they are imported: BLAS, and the allocator of Arrow. In a process
#: that is forked later, only the thread that forks goes on.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


def processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def running_threads() -> int:
    """Return how many threads this process has, those of libraries too, or 0 where the system does not say."""
    with suppress(OSError):
        return len(list(Path("/proc/self/task").iterdir()))
    return 0


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


def peak_memory() -> int:
    """Return the most memory that this process has had, in bytes, or 0 where the system does not say.

    Linux says it of the program itself; what `getrusage` says may be that of the process which started it.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def limit_memory(limit: int) -> None:
    """Have the system refuse memory beyond a limit, in bytes: what asks for it then fails, or ends this process."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def current_user() -> str:
    """Return the name of the user that the system knows, whatever the environment says."""
    try:
        import pwd
    except ImportError:
        return os.getlogin()
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def lower_priority() -> None:
    """Let other processes come first, where the system can be asked for that."""
    with suppress(AttributeError, OSError):
        os.nice(5)


def rename_process(name: str) -> None:
    """Have the system call this process by a name, where it can."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name, encoding="ascii")


def stop_signals() -> list[signal.Signals]:
    """Return the signals by which a service is told to stop."""
    names = ("SIGTERM", "SIGHUP", "SIGBREAK")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def stop_own_process() -> None:
    """Send SIGTERM to this process, from any thread; its handler runs in the main one."""
    if hasattr(os, "killpg"):
        os.kill(os.getpid(), signal.SIGTERM)
    else:
        signal.raise_signal(signal.SIGTERM)  # os.kill would end the process there


def has_process_groups() -> bool:
    """Say whether processes have groups that can be signalled, and take open files along; on Windows they don't."""
    return hasattr(os, "killpg")


def kill_group(process: int) -> None:
    """Kill a process and everything that it started, which has its number as their group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def wait_unreaped(process: "Popen[bytes]") -> None:
    """Wait until a process has ended and keep its number from being given away, where the system can do that."""
    if hasattr(os, "waitid"):
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


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
