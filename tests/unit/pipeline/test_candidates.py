"""The frontier: every k is decided as a run would, and the recommendation follows from the numbers."""

import json
from html.parser import HTMLParser

import pyarrow.csv as pacsv
import pytest

import antifaz as az
from antifaz.projects import actions
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
    wanted = max([k for k in kept if k >= 5], default=5)
    assert found["recommended"]["k"] == wanted


def test_a_k_that_can_not_be_reached_ends_the_list():
    found = az.frontier(az.datasets.salaries(6, seed=1), roles=ROLES, method=az.Mdav(), k=range(2, 20), seed=1)
    assert found["points"][-1]["k"] == 6
    assert found["unreachable_from"] == 7


def test_nothing_to_try_is_said():
    with failing("proposal.frontier-without-k", az.ParameterError):
        az.frontier(az.datasets.salaries(6, seed=1), roles=ROLES, method=az.Mdav(), k=[], seed=1)


def test_several_methods_beside_each_other():
    table, trees = az.datasets.salaries(300, seed=1), {"age": {"intervals": [5, 20]}, "salary": {"flat": True}}
    methods = [az.FullDomain(suppression=0.1), az.Mondrian(), az.Mondrian(split="distribution"), az.Mondrian()]
    found = az.frontier(table, roles=ROLES, hierarchies=trees, method=methods, k=[2, 5], seed=1)
    names = ["full-domain", "mondrian (split: median)", "mondrian (split: distribution)"]
    assert [(point["method"], point["k"]) for point in found["points"]] == [(name, k) for name in names for k in (2, 5)]
    for name, method in zip(names, methods[:3], strict=True):
        assert found["settings"][name] == {"name": method.name, **method.parameters()}
        alone = az.frontier(table, roles=ROLES, hierarchies=trees, method=method, k=[2, 5], seed=1)["points"]
        both = [point for point in found["points"] if point["method"] == name]
        assert [point["gcp"] for point in both] == [point["gcp"] for point in alone]
    assert found["recommended"]["method"] in names
    text = frontier_html(found)
    assert text.count("<polyline") == 6 and "mondrian (split: distribution)" in text
    with failing("plan.method-needs-hierarchy", az.HierarchyError, method="full-domain"):
        az.frontier(table, roles=ROLES, method=[az.Mondrian(), az.FullDomain()], k=[2], seed=1)


def test_a_project_and_whoever_asks_say_which_settings_are_compared(tmp_path):
    pacsv.write_csv(az.datasets.salaries(200, seed=1), tmp_path / "salaries.csv")
    own = {"name": "mondrian", "release": "mode"}
    project = {
        "antifaz": 1, "source": {"path": "salaries.csv"}, "privacy": [{"model": "k-anonymity", "k": 2}], "seed": 1,
        "attributes": {name: {"role": role} for name, role in ROLES.items()}, "method": own,
    }  # fmt: skip
    place = tmp_path / "project.yaml"

    def settings(*methods, **more):
        place.write_text(json.dumps(project | more), encoding="utf-8")
        found = actions.frontier_of(place, [2], methods=methods)
        return {name: (one["name"], one.get("split"), one.get("release")) for name, one in found["settings"].items()}

    assert settings() == {"mondrian": ("mondrian", "median", "mode")}
    said = settings(frontier=[own, {"name": "mondrian", "split": "distribution"}])
    assert list(said.values()) == [("mondrian", "median", "mode"), ("mondrian", "distribution", "interval")]
    # Asked for, settings are laid over the project's own, and another method begins with its own defaults.
    said = settings("mondrian:split=distribution", "mdav:method=pca", frontier=[own])
    assert said == {"mondrian": ("mondrian", "distribution", "mode"), "mdav": ("mdav", None, "mean")}
    with failing("project.setting-without-value", az.ParameterError, setting="split"):
        settings("mondrian:split")
    with failing("project.method-needs-key-name", az.ProjectError):
        settings(frontier=[{"split": "median"}])


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
