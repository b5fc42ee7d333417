"""What holds for all tests."""

import os

from hypothesis import HealthCheck, settings

# Machines are of all speeds, so no example may fail for being slow. In CI the examples are the same every time: a run
# must not fail for what the change did not touch, and half as many. On a developer's machine they are new each time, to
# find more.
settings.register_profile("anywhere", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "anywhere")

# Java that lives for a test need not compile its code twice: a third less work.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# No test may write to the ledger of whoever runs it; those about the ledger, and the pages, have their own.
os.environ["ANTIFAZ_LEDGER"] = "off"
