"""Tests that share something dear to start are kept together when they run on several processors."""

from __future__ import annotations

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="only where tests run side by side: make test")
def test_every_test_knows_its_group(request: pytest.FixtureRequest) -> None:
    assert request.node.nodeid.endswith("@tests/unit/test_groups.py")
