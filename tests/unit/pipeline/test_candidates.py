"""The frontier: every k is decided as a run would, and the recommendation follows from the numbers."""

from html.parser import HTMLParser

import pytest

import antifaz as az
from antifaz.proposals.frontier import PRESERVED
from antifaz.reports.frontier import frontier_html
from failing import failing

ROLES = {"age": "quasi-identifier", "salary": "quasi-identifier"}


@pytest.fixture(scope="module")
def found():
    return az.frontier(az.datasets.salaries(400, seed=1), roles=ROLES, method=az.Mdav(), k=range(2, 9), seed=1)


def test_every_k_is_there_and_kept(found):
    assert [point["k"] for point in found["points"]] == list(range(2, 9))
    for point in found["points"]:
        assert point["highest_risk"] <= 1 / point["k"]
        assert point["ks_min"] == min(point["ks"].values())


def test_each_point_is_what_a_run_gives(found):
    table = az.datasets.salaries(400, seed=1)
    run = az.anonymize(table, roles=ROLES, privacy=az.KAnonymity(5), method=az.Mdav(), seed=1)
    point = next(point for point in found["points"] if point["k"] == 5)
    assert point["gcp"] == run.evidence["utility"]["gcp"]
    assert point["ks"] == run.evidence["utility"]["ks"]


def test_the_recommended_k_is_the_largest_that_preserves(found):
    kept = [point["k"] for point in found["points"] if point["ks_min"] >= PRESERVED]
    assert kept, "this table must keep its distribution at k = 2"
    assert found["recommended"]["k"] == max(kept)


def test_a_k_that_can_not_be_reached_ends_the_list():
    found = az.frontier(az.datasets.salaries(6, seed=1), roles=ROLES, method=az.Mdav(), k=range(2, 20), seed=1)
    assert found["points"][-1]["k"] == 6
    assert found["unreachable_from"] == 7


def test_nothing_to_try_is_said():
    with failing("proposal.frontier-without-k", az.ParameterError):
        az.frontier(az.datasets.salaries(6, seed=1), roles=ROLES, method=az.Mdav(), k=[], seed=1)


def test_several_methods_beside_each_other():
    table, trees = az.datasets.salaries(300, seed=1), {"age": {"intervals": [5, 20]}, "salary": {"flat": True}}
    methods = [az.FullDomain(suppression=0.1), az.Mondrian(), az.Mondrian(split="distribution")]
    found = az.frontier(table, roles=ROLES, hierarchies=trees, method=methods, k=[2, 5], seed=1)
    names = ["full-domain", "mondrian", "mondrian (2)"]
    assert [(point["method"], point["k"]) for point in found["points"]] == [(name, k) for name in names for k in (2, 5)]
    for name, method in zip(names, methods, strict=True):
        alone = az.frontier(table, roles=ROLES, hierarchies=trees, method=method, k=[2, 5], seed=1)["points"]
        both = [point for point in found["points"] if point["method"] == name]
        assert [point["gcp"] for point in both] == [point["gcp"] for point in alone]
    assert found["recommended"]["method"] in names
    text = frontier_html(found)
    assert text.count("<polyline") == 6 and "mondrian (2)" in text
    with failing("plan.method-needs-hierarchy", az.HierarchyError, method="full-domain"):
        az.frontier(table, roles=ROLES, method=[az.Mondrian(), az.FullDomain()], k=[2], seed=1)


class _Balanced(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "line", "polyline", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass


def test_the_page_is_whole_and_escapes_names(found):
    point = dict(found["points"][0], ks={"<script>": 0.5})
    text = frontier_html({"points": [point], "recommended": found["recommended"]}, "<b>")
    assert "<script>" not in text and "<b>" not in text
    reader = _Balanced()
    reader.feed(text)
    assert reader.open == []
