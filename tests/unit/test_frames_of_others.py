"""The library from scikit-learn's pipelines, and from pandas' and polars' own frames."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import pytest

import antifaz as az

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "income": "insensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(10, 20, 40), "sex": az.hierarchy.flat()}


def people(n: int = 200, seed: int = 1) -> Any:
    frame = az.datasets.people(n, seed=seed).select(["age", "sex", "income"]).to_pandas()
    frame.insert(0, "name", [f"person {i}" for i in range(n)])
    return frame


def transformer(**asked: Any) -> Any:
    pytest.importorskip("sklearn")
    from antifaz.sklearn import AntifazTransformer

    given: dict[str, Any] = {"roles": ROLES, "hierarchies": HIERARCHIES, "seed": 1}
    return AntifazTransformer(**given | asked)


def test_rows_keep_their_order_and_get_the_labels_of_the_release() -> None:
    frame = people()
    fitted = transformer(method=az.FullDomain(suppression=0.1)).fit(frame)
    out = fitted.transform(frame)
    assert list(out.columns) == ["age", "sex", "income"] == list(fitted.get_feature_names_out())
    assert out["income"].tolist() == frame["income"].tolist()
    label = {v: own for own, values in fitted.recoding_.columns["age"].labels.items() for v in values}
    kept = out["age"].notna() | out["sex"].notna()
    level = fitted.recoding_.levels
    assert level["age"] > 0
    assert out["age"][kept].tolist() == [label[str(age)] for age in frame["age"][kept]]
    # Counted apart: whoever is not blank is one of at least five, and nobody else is.
    counted = Counter(zip(out["age"][kept], out["sex"][kept], strict=True))
    assert min(counted.values()) >= 5
    assert fitted.evidence_["rows"]["suppressed"] == int((~kept).sum())
    assert fitted.fit_transform(frame).equals(out)


def test_new_rows_are_recoded_alike_and_blank_where_too_few_are_like_them() -> None:
    fitted = transformer(privacy=az.KAnonymity(20)).fit(people())
    new = people(3, seed=2)
    new.loc[2, "age"] = 250
    out = fitted.transform(new)
    known = set(fitted.recoding_.columns["age"].labels)
    assert {*out["age"][:2]} <= known
    assert out["age"].isna().tolist() == [False, False, fitted.recoding_.levels["age"] < 4]
    released = fitted.release(new.drop(columns="name").head(2))
    assert Counter(released.frame["age"]) == Counter(out["age"][:2])


def test_it_is_an_estimator() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeRegressor

    plain = transformer()
    again = clone(plain)
    assert again.get_params() == plain.get_params()
    assert again.set_params(seed=7).seed == 7
    with pytest.raises(NotFittedError):
        plain.transform(people())
    frame = people()
    target = frame.pop("income")
    features = {name: role for name, role in ROLES.items() if name != "income"}
    model = make_pipeline(
        transformer(roles=features), OneHotEncoder(handle_unknown="ignore"), DecisionTreeRegressor(random_state=0)
    )
    model.fit(frame, target)
    assert model.predict(people(5, seed=3).drop(columns="income")).shape == (5,)
    fitted = transformer().fit(people())
    kept = pickle.loads(pickle.dumps(fitted))
    assert kept.transform(people()).equals(fitted.transform(people()))


def test_polars_comes_back_as_polars() -> None:
    out = transformer().fit(polars.from_pandas(people())).transform(polars.from_pandas(people()))
    assert isinstance(out, polars.DataFrame)
    assert out.height == 200


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_every_frame_has_the_library(library: str) -> None:
    import antifaz.pandas
    import antifaz.polars  # noqa: F401 - both register themselves

    frame: Any = people() if library == "pandas" else polars.from_pandas(people())
    assert frame.antifaz.propose()["age"].value == "quasi-identifier"
    asked: Any = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(5), "seed": 1}
    release = frame.antifaz.anonymize(**asked)
    assert type(release.frame) is type(frame)
    assert release.frame.antifaz.verify(["age", "sex"], az.KAnonymity(5))[0].holds
    assert frame.antifaz.candidates(**asked)[0].levels == release.levels
    assert frame.antifaz.apply(release.recoding, seed=1).evidence["privacy"][0]["holds"]
