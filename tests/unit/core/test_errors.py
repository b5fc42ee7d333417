"""One tree of errors, and hints to the nearest name."""

from __future__ import annotations

from antifaz.core.errors import AntifazError, HierarchyError, SchemaError, hint, silence


def test_a_hint_names_the_nearest_or_what_is_known() -> None:
    assert hint("aeg", ["age", "sex"]) == " (did you mean 'age'?)"
    assert hint("zzz", ["sex", "age"]) == " (known: age, sex)"
    assert hint("zzz", []) == ""
    assert hint("zzz", [f"c{i:02}" for i in range(13)]).endswith("c11, …)")


def test_every_error_is_under_one_root() -> None:
    import antifaz as az

    errors = [getattr(az, name) for name in az.__all__ if isinstance(getattr(az, name), type)]
    errors = [error for error in errors if issubclass(error, Exception)]
    assert len(errors) >= 10
    assert all(issubclass(error, AntifazError) for error in errors)
    assert (az.PrivacyNotReached.exit_code, az.CheckFailed.exit_code, az.InputError.exit_code) == (1, 1, 2)
    assert not issubclass(az.PrivacyNotReached, az.InputError)


def test_an_error_keeps_its_code_when_it_is_placed_within_another() -> None:
    error = SchemaError("column.unknown", name="agee", hint=hint("agee", ["age"]))
    inner = error.message
    error.place("project.in-file", file="p.yaml:3:1")
    assert (error.code, error.message.values["error"]) == ("project.in-file", inner)
    assert str(error) == "p.yaml:3:1: There is no column 'agee' (did you mean 'age'?)."


def test_the_values_of_a_hierarchy_stay_out_of_its_message() -> None:
    error = HierarchyError("hierarchy.misses-values", ["Ronda"], column="city", count=1)
    assert error.values == ("Ronda",)
    assert "Ronda" not in f"{error} {error!r}"


def test_nothing_is_left_of_what_somebody_elses_error_quotes() -> None:
    errors: list[Exception] = [ValueError("Ronda"), OSError(2, "Ronda")]
    try:
        b"Ronda\xff".decode("utf-8")
    except UnicodeDecodeError as error:
        errors.append(error)
    for error in errors:
        silence(error)
        assert "Ronda" not in f"{error!r} {error.args} {vars(error)} {getattr(error, 'object', '')!r}"
