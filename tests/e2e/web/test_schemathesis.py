"""The description of the service against the service: whatever is sent, it never breaks, and answers what it says."""

from __future__ import annotations

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from e2e.web.rest import served

#: What would reach out to other machines by names that were made up.
OUTSIDE = ("/api/v1/datasets/database", "/api/v1/datasets/database/tables")
#: Requests per operation; `make fuzz` sends more.
REQUESTS = int(os.environ.get("ANTIFAZ_FUZZ_REQUESTS", "10"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    with served(tmp_path_factory.mktemp("fuzzed")) as service:
        service.upload("a,b\n1,x\n2,y\n")
        headers = {"authorization": service.client.headers["authorization"]}
        address = str(service.client.base_url).rstrip("/")
        found = schemathesis.openapi.from_url(f"{address}/openapi.json", headers=headers)
        found.config.update(headers=headers)
        yield found.exclude(path=list(OUTSIDE))


def test_check_23_nothing_that_is_sent_breaks_it(described):
    tried, wrong = 0, []
    for found in described.get_all_operations():
        operation = found.ok()
        try:
            attempts(operation)
        except (Exception, BaseExceptionGroup) as error:
            wrong.append(f"{operation.label}: {error}")
        tried += 1
    assert tried > 30
    assert not wrong, "\n\n".join(wrong)


def attempts(operation):
    """Send made-up requests to one operation and check what it answers."""

    @settings(max_examples=REQUESTS, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(case=operation.as_strategy())
    def one(case):
        if operation.path == "/api/v1/datasets/example" and isinstance(case.body, dict) and "rows" in case.body:
            case.body["rows"] = 5  # a million people would be made up, and take their time
        case.call_and_validate(checks=CHECKS, timeout=30)

    one()
