"""A transformer of scikit-learn: it decides on the rows that it is fitted on, and recodes others the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from antifaz.core.errors import MissingExtra
from antifaz.pipeline.release import Release
from antifaz.privacy import KAnonymity, PrivacyModel
from antifaz.projects import actions
from antifaz.projects.apply_actions import recode_frame

if TYPE_CHECKING:
    from antifaz.methods import Method
    from antifaz.pipeline.plan import Others

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError:
    raise MissingExtra("sklearn.missing") from None


class AntifazTransformer(TransformerMixin, BaseEstimator):
    """Generalizes quasi-identifiers as was decided on the rows that it was fitted on.

    `fit` anonymizes its rows, verified as every release is, and keeps what was decided (`recoding_`) and the evidence
    (`evidence_`). `transform` recodes any frame with the same columns, row by row and in the same order, without the
    identifiers. A row of which too few are alike, among those fitted on and those given, is blank in all
    quasi-identifiers. What `transform` returns is to be learned from, and is no release: `release` makes one.

    Args:
        roles: Per column 'identifier', 'quasi-identifier', 'sensitive' or 'insensitive'.
        hierarchies: Per quasi-identifier what its values generalize to, as for `antifaz.anonymize`.
        privacy: What must hold; `KAnonymity(5)` when left out.
        method: A method that gives all values of a column one level; full-domain when left out.
        others: What becomes of columns without a role: an error lists them ("refuse"), they go ("drop"), or stay as
            they are ("release").
        seed: Makes the run repeatable.
    """

    def __init__(
        self,
        roles: Mapping[str, str] | None = None,
        hierarchies: Mapping[str, Any] | None = None,
        privacy: Sequence[PrivacyModel] | PrivacyModel | None = None,
        method: Method | None = None,
        others: Others = "refuse",
        seed: int | None = None,
    ) -> None:
        self.roles, self.hierarchies, self.privacy = roles, hierarchies, privacy
        self.method, self.others, self.seed = method, others, seed

    def fit(self, X: Any, y: Any = None) -> AntifazTransformer:  # noqa: N803 - scikit-learn's names
        """Decide on the rows of a pandas, polars or pyarrow frame; raise `PrivacyNotReached` where it can't be had."""
        release = actions.anonymize(
            X,
            roles=self.roles or {},
            hierarchies=self.hierarchies,
            privacy=KAnonymity(5) if self.privacy is None else self.privacy,
            method=self.method,
            others=self.others,
            seed=self.seed,
        )
        self.recoding_, self.evidence_ = release.recoding, dict(release.evidence)
        self.feature_names_in_ = np.array(list(self.recoding_.columns), dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's names
        """Recode a frame row by row, and return the same kind of frame."""
        check_is_fitted(self, "recoding_")
        return recode_frame(self.recoding_, X)

    def release(self, X: Any, **options: Any) -> Release:  # noqa: N803 - scikit-learn's names
        """Release rows that come after those that it was fitted on, as `antifaz.apply` does."""
        check_is_fitted(self, "recoding_")
        return actions.apply(self.recoding_, X, **options)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the columns that `transform` gives: all but the identifiers."""
        check_is_fitted(self, "recoding_")
        kept = [name for name, column in self.recoding_.columns.items() if column.role != "identifier"]
        return np.array(kept, dtype=object)
