"""What every method must do, checked on the rows that come out, counted here without any of its code."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import HierarchyError, PrivacyNotReached
from antifaz.engines.registry import open_data
from antifaz.hierarchies import intervals, masking, table
from antifaz.methods.method import Method
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import make_task
from antifaz.privacy import KAnonymity, LDiversity, PrivacyModel
from antifaz.projects.actions import anonymize
from antifaz.testing.broken import arrays_in, refused, require, same_arrays
from antifaz.testing.examples import COLOURS, SENSITIVE, examples

_QIS = ("age", "colour", "postcode")
#: `row` is insensitive, so it comes out as it went in and says which record a released row was.
_ROLES = {"name": "identifier", **dict.fromkeys(_QIS, "quasi-identifier"), SENSITIVE: "sensitive", "row": "insensitive"}
_PATHS = {colour: ["cold" if colour in ("blue", "green") else "warm", "*"] for colour in COLOURS}
_HIERARCHIES = {"age": intervals(5, 10, 40), "colour": table(_PATHS), "postcode": masking(1)}


def check_method(cls: type[Method], instances: Sequence[Method] | None = None) -> None:
    """Check that a method reaches the privacy asked for or says that it can't, repeatably, and touches nothing else."""
    for method in list(instances) if instances is not None else examples(cls):
        _check_decision(method)
        _check_released(method, _people(method, 200), [KAnonymity(3)])
        if not method.numbers_only:
            _check_released(method, _people(method, 200), [KAnonymity(2), LDiversity(2, attribute=SENSITIVE)])
            _check_released(method, _people(method, 200, missing=0.3), [KAnonymity(3)])
        if method.needs_hierarchies:
            _check_unseen(method)
        _check_small(method)


def _people(method: Method, rows: int, *, missing: float = 0.0, alike: bool = False) -> pa.Table:
    """Make up a table; with `alike`, all quasi-identifiers are the same, with `missing` some are not there.

    A method for numbers only gets nothing else, and all of them.
    """
    random = np.random.default_rng(5)
    columns: dict[str, Any] = {
        "name": [f"person {i}" for i in range(rows)],
        "age": random.integers(20, 60, rows),
        "colour": random.choice(COLOURS, rows),
        "postcode": random.choice(["53706", "53711", "02138", "02139"], rows),
        SENSITIVE: random.choice(["cold", "flu", "gout"], rows),
        "row": np.arange(rows),
    }
    if method.numbers_only:
        columns |= {name: np.unique(columns[name], return_inverse=True)[1] for name in ("colour", "postcode")}
        missing = 0.0
    if alike:
        columns |= {name: [columns[name][0]] * rows for name in _QIS}
    gone = {name: random.random(rows) < missing for name in (*_QIS, SENSITIVE)}
    return pa.table({name: pa.array(part, mask=gone.get(name)) for name, part in columns.items()})


def _run(method: Method, people: pa.Table, models: Sequence[PrivacyModel], seed: int = 1, **changed: Any) -> Any:
    hierarchies = {} if method.numbers_only else {**_HIERARCHIES, **changed}
    return anonymize(people, roles=_ROLES, hierarchies=hierarchies, privacy=models, method=method, seed=seed)


def _check_decision(method: Method) -> None:
    """The same seed gives the same decision, and what the method is handed stays as it was."""
    who = repr(method)
    with open_data(_people(method, 200, missing=0.1)) as data:
        trees = {} if method.numbers_only else _HIERARCHIES
        plan = make_plan(data.schema, roles=_ROLES, hierarchies=trees, privacy=[KAnonymity(3)], method=method, seed=1)
        task, second = make_task(plan, data), make_task(plan, data)
        before = arrays_in([task.frequencies, task.ladders])
        one, other = method.decide(task), method.decide(second)
    after = arrays_in([task.frequencies, task.ladders])
    require(same_arrays(before, after), f"{who} must not change its task.")
    require(one.recoding == other.recoding, f"{who} must decide the same for the same seed.")
    require(one.details == other.details, f"{who} must say the same of the same decision.")
    named = [column.column for column in one.recoding.columns]
    require(named == list(task.frequencies.columns), f"{who} must say what becomes of every quasi-identifier.")
    if method.needs_rows:
        return  # it says what becomes of records, not of values
    for column, domain in zip(one.recoding.columns, task.frequencies.domains, strict=True):
        require(set(column.values) == set(domain.values), f"{who} must say what every value of a column becomes.")


def _check_small(method: Method) -> None:
    """One record, one class, k = n and k > n."""
    who = repr(method)

    def released(rows: int, k: int, *, alike: bool = False) -> pa.Table:
        return _run(method, _people(method, rows, alike=alike), [KAnonymity(k)]).frame

    require(released(1, 1).num_rows == 1, f"{who} must release one record for k = 1.")
    require(released(9, 9, alike=True).num_rows == 9, f"{who} must release a table that is one class of k.")
    _check_classes(who, released(9, 9), 9)
    for rows in (1, 9):
        error = refused(PrivacyNotReached, partial(released, rows, rows + 1), f"{who} must refuse k > n")
        require(str(rows) in str(error), f"{who} must name the nearest k that can be reached.")


def _check_released(method: Method, people: pa.Table, models: Sequence[PrivacyModel]) -> None:
    who = repr(method)
    frame = _run(method, people, models).frame
    require("name" not in frame.column_names, f"{who}: identifiers must be gone.")
    require(0 < frame.num_rows <= people.num_rows, f"{who}: some records must be released, and none made up.")
    for model in models:
        if model.class_size is not None:
            _check_classes(who, frame, model.class_size)
    # A method that releases one value for all records of a group says so by its parameter `release`.
    if getattr(method, "release", "interval") == "interval":
        _check_labels(who, people, frame, blanks=getattr(method, "blanks", False))
    again = _run(method, people, models).frame
    require(frame.equals(again), f"{who} must release the same rows for the same seed.")


def _check_classes(who: str, frame: pa.Table, k: int) -> None:
    """Count the released rows in the plainest way there is."""
    rows = zip(*(frame.column(name).to_pylist() for name in _QIS), strict=True)
    smallest = min(Counter(rows).values())
    require(smallest >= k, f"{who} promised classes of {k} and released one of {smallest}.")


def _check_labels(who: str, people: pa.Table, frame: pa.Table, *, blanks: bool) -> None:
    """What is released of a record must be true of it; other columns must be as they were."""
    before = {row["row"]: row for row in people.to_pylist()}
    for row in frame.to_pylist():
        was = before[row["row"]]
        if blanks:
            # A method that blanks cells says so; a blank covers any value.
            row |= {name: "*" for name in _QIS if row[name] is None}
        require(row[SENSITIVE] == was[SENSITIVE], f"{who} must leave the other columns as they are.")
        for name, covers in (("age", _covers_number), ("colour", _covers_colour), ("postcode", _covers_code)):
            require(covers(row[name], was[name]), f"{who} released {name} {row[name]!r}, not true of its record.")


def _among(label: str | None, covering: Sequence[str | None]) -> bool:
    """Whether a label is one that covers the value, or lists it: `{a, b}`."""
    return label in covering or (label is not None and label.startswith("{") and str(covering[0]) in label)


def _covers_colour(label: Any, colour: Any) -> bool:
    if isinstance(colour, int):
        return _covers_number(label, colour)
    return _among(label, (colour, *_PATHS.get(colour, ("*",))))


def _covers_number(label: Any, number: int | None) -> bool:
    if label == "*" or label is None or number is None:
        return label == "*" or (label is None and number is None)
    text = str(label)
    if not text.startswith("["):
        return text == str(number)
    low, high = (float(part) for part in text.strip("[)]").split(","))
    return low <= number and (number < high or text.endswith("]"))


def _covers_code(label: Any, code: Any) -> bool:
    if isinstance(code, int):
        return _covers_number(label, code)
    if label is None or code is None or label == "*":
        return label == "*" or label is code
    return _among(label, (code,)) or (len(label) == len(code) and code.startswith(label.rstrip("*")))


def _check_unseen(method: Method) -> None:
    """A value that its hierarchy does not know is named, and nothing is released."""
    partial: Mapping[str, Any] = {colour: path for colour, path in _PATHS.items() if colour != "red"}
    error = refused(
        HierarchyError,
        lambda: _run(method, _people(method, 50), [KAnonymity(2)], colour=table(partial)),
        f"{method!r} must refuse a value that its hierarchy misses",
    )
    require(getattr(error, "values", ()) == ("red",), f"{method!r}: the error must hold the value that is missed.")
