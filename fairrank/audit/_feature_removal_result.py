"""What removing each feature gains and costs: a frozen table, read by name."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from fairrank.audit._removal_text import removal_table

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredChange:
    """One number with the full model, without the feature, and their difference.

    Attributes
    ----------
    full, without : float
        The score with all features and without this one, means over the seeds of the refits.
    change : float
        ``without - full``, in units of the score: above 0 where it is larger without the feature.
    low, high : float
        Paired bootstrap interval of `change`; NaN where none is computed.
    refit_noise : float
        Standard deviation of `change` over the seeds of the refits; NaN with one seed.

    See Also
    --------
    FeatureRemoval : What holds one of these a score.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.audit import FeatureRemovalAuditor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = (2 * X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)
    >>> group = np.where(rng.random(300) < 0.3, "a", "b")
    >>> auditor = FeatureRemovalAuditor(LogisticRegression(), n_permutations=99, random_state=0)
    >>> result = auditor.fit(X, y, sensitive_features=group).result_
    >>> change = result["x0"].scores["roc_auc"]
    >>> change.without < change.full, change.low < change.change < change.high
    (True, True)
    """

    full: float = math.nan
    without: float = math.nan
    change: float = math.nan
    low: float = math.nan
    high: float = math.nan
    refit_noise: float = math.nan

    def to_dict(self) -> dict[str, float]:
        """Plain Python values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureRemoval:
    """What the audit measured without one feature: an entry of `FeatureRemovalResult.features`.

    Numbers that were not computed are NaN: tests and intervals that were switched off, and all of
    them where `error` says why.

    Attributes
    ----------
    feature : str
        Its name.
    columns : tuple of str
        The columns removed together.
    contribution : float
        FC of centred RGF, in [-1, 1] where scores are positive: the part of the distance from 1
        that goes with the feature, or minus the part of the score that is lost without it. NaN
        where the latter is undefined. `FeatureRemovalAuditor` has the formula.
    contribution_low, contribution_high : float
        Its paired bootstrap interval.
    paper_contribution : float
        FC of plain RGF, which rewards unfairness.
    centered_rgf, rgf, aurgf : MeasuredChange
        AURGF has no interval: its q_min would move from draw to draw.
    scores : dict of str to MeasuredChange
        Every scorer; intervals for "roc_auc" and "average_precision" only.
    pvalue, effect_size : float
        Permutation test of the model without the feature, and T over its mean under the null.
    pvalue_holm, pvalue_bh : float
        `pvalue` adjusted over the features (Holm; Benjamini and Hochberg).
    change_pvalue : float
        Two-sided bootstrap p-value of "centred RGF does not change".
    change_pvalue_holm, change_pvalue_bh : float
        `change_pvalue` adjusted over the features.
    reading : str
        One or two sentences; never a cause.
    error : str or None
        Why the feature has no numbers.

    See Also
    --------
    FeatureRemovalAuditor : The audit, with the formula of FC.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.audit import FeatureRemovalAuditor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = (2 * X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)
    >>> group = np.where(rng.random(300) < 0.3, "a", "b")
    >>> auditor = FeatureRemovalAuditor(LogisticRegression(), n_permutations=99, random_state=0)
    >>> result = auditor.fit(X, y, sensitive_features=group).result_
    >>> removal = result["x0"]
    >>> removal.columns, removal.scores["roc_auc"].change < 0, removal.error
    (('x0',), True, None)
    """

    feature: str
    columns: tuple[str, ...]
    contribution: float = math.nan
    contribution_low: float = math.nan
    contribution_high: float = math.nan
    paper_contribution: float = math.nan
    centered_rgf: MeasuredChange
    rgf: MeasuredChange
    aurgf: MeasuredChange
    scores: dict[str, MeasuredChange]
    pvalue: float = math.nan
    effect_size: float = math.nan
    pvalue_holm: float = math.nan
    pvalue_bh: float = math.nan
    change_pvalue: float = math.nan
    change_pvalue_holm: float = math.nan
    change_pvalue_bh: float = math.nan
    reading: str = ""
    error: str | None = None

    @classmethod
    def failed(
        cls, feature: str, columns: tuple[str, ...], error: str, scores: Any = ()
    ) -> FeatureRemoval:
        """Make a row that says why there are no numbers.

        Parameters
        ----------
        feature : str
            Its name.
        columns : tuple of str
            The columns removed together.
        error : str
            Why it could not be measured.
        scores : iterable of str
            Names of the scorers.

        Returns
        -------
        FeatureRemoval
            All its numbers are NaN.
        """
        none = MeasuredChange()
        return cls(
            feature=feature, columns=columns, centered_rgf=none, rgf=none, aurgf=none,
            scores=dict.fromkeys(scores, none), error=error, reading=f"Not measured: {error}",
        )

    def row(self) -> dict[str, Any]:
        """Give all numbers side by side, as a row of a table.

        Returns
        -------
        dict of str to object
            "feature", then the columns of `FeatureRemovalResult.to_frame`.
        """
        out: dict[str, Any] = {
            "feature": self.feature,
            "contribution": self.contribution,
            "contribution_low": self.contribution_low,
            "contribution_high": self.contribution_high,
        }
        measured = {"centered_rgf": self.centered_rgf, "rgf": self.rgf, "aurgf": self.aurgf}
        for name, part in (measured | self.scores).items():
            out[name] = part.without
            out[f"change_{name}"] = part.change
            out[f"change_{name}_low"] = part.low
            out[f"change_{name}_high"] = part.high
            out[f"refit_noise_{name}"] = part.refit_noise
        for name in (
            "paper_contribution", "pvalue", "pvalue_holm", "pvalue_bh", "effect_size",
            "change_pvalue", "change_pvalue_holm", "change_pvalue_bh", "reading", "error",
        ):
            out[name] = getattr(self, name)
        return out

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON: `row` and the columns."""
        return self.row() | {"columns": list(self.columns)}


@dataclass(frozen=True, slots=True, kw_only=True)
class FullModel:
    """What the audit measured with every feature: `FeatureRemovalResult.full`.

    Attributes
    ----------
    centered_rgf, rgf, aurgf : float
        Means over the seeds of the refits, at most 1; NaN where all burdens are equal. AURGF is
        NaN too where a group is too small for it.
    null_reference : float
        What plain RGF comes to at this mix of groups when burdens are shared alike.
    pvalue, effect_size : float
        Permutation test of the full model, and T over its mean under the null; NaN where tests
        were switched off.
    scores : dict of str to float
        Every scorer, in its own units.

    See Also
    --------
    FeatureRemovalAuditor : The audit.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.audit import FeatureRemovalAuditor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = (2 * X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)
    >>> group = np.where(rng.random(300) < 0.3, "a", "b")
    >>> auditor = FeatureRemovalAuditor(LogisticRegression(), n_permutations=99, random_state=0)
    >>> result = auditor.fit(X, y, sensitive_features=group).result_
    >>> result.full.scores["roc_auc"] > 0.9, result.full.centered_rgf > result.full.rgf
    (True, True)
    """

    centered_rgf: float
    rgf: float
    aurgf: float
    null_reference: float
    pvalue: float
    effect_size: float
    scores: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FeatureRemovalResult:
    """The audit of every feature, in the order they were asked for.

    ``result["age"]`` is the row of one feature, a `FeatureRemoval`; ``KeyError`` where it was not
    audited.

    Attributes
    ----------
    full : FullModel
    features : tuple of FeatureRemoval
        Failed ones too, with their `error`.
    sensitive_features : dict of str to int
        Audited rows of every group.
    strategy : {"refit", "neutralize"}
    burden : str
    n_samples, n_folds, n_seeds : int
        Audited rows, folds, and seeds of the refits.
    n_dropped : int
        Rows left out because their group is missing.
    n_permutations, n_resamples : int
        0 where tests or intervals were switched off.
    confidence_level : float
    seed : tuple of int
        Entropy of all draws.
    versions : dict of str to str

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.audit import FeatureRemovalAuditor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = (2 * X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)
    >>> group = np.where(rng.random(300) < 0.3, "a", "b")
    >>> auditor = FeatureRemovalAuditor(LogisticRegression(), n_permutations=99, random_state=0)
    >>> result = auditor.fit(X, y, sensitive_features=group).result_
    >>> [removal.feature for removal in result.sorted_by("change_roc_auc").features]
    ['x2', 'x1', 'x0']
    >>> result["x0"].scores["roc_auc"].high < 0
    True
    """

    full: FullModel
    features: tuple[FeatureRemoval, ...]
    sensitive_features: dict[str, int]
    strategy: str
    burden: str
    n_samples: int
    n_folds: int
    n_seeds: int
    n_dropped: int
    n_permutations: int
    n_resamples: int
    confidence_level: float
    seed: tuple
    versions: dict[str, str]

    def __getitem__(self, feature: str) -> FeatureRemoval:
        """The row of one feature, by its name."""
        for removal in self.features:
            if removal.feature == feature:
                return removal
        known = ", ".join(removal.feature for removal in self.features)
        raise KeyError(f"{feature!r} was not audited; these were: {known}")

    @property
    def failed(self) -> tuple[FeatureRemoval, ...]:
        """Features without numbers."""
        return tuple(removal for removal in self.features if removal.error is not None)

    def sorted_by(self, key: str = "contribution", *, descending: bool = True) -> Any:
        """The same result with its features in another order, those without a number last.

        Parameters
        ----------
        key : str
            A column of `to_frame`: "contribution", "change_centered_rgf", "change_roc_auc",
            "pvalue", "feature", ...
        descending : bool
            Largest first.

        Returns
        -------
        FeatureRemovalResult
            All numbers are those of this one.

        Raises
        ------
        ValueError
            `key` is not a column; the message lists them.
        """
        rows = [removal.row() for removal in self.features]
        if rows and key not in rows[0]:
            raise ValueError(f"key={key!r} is not among {', '.join(rows[0])}.")
        known = [i for i, row in enumerate(rows) if row[key] is not None and row[key] == row[key]]
        order = sorted(known, key=lambda i: rows[i][key], reverse=descending)
        order += [i for i in range(len(rows)) if i not in known]
        return replace(self, features=tuple(self.features[i] for i in order))

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out = asdict(self)
        out["features"] = [removal.to_dict() for removal in self.features]
        return out

    def to_frame(self) -> Any:
        """One row a feature, as a pandas DataFrame indexed by feature.

        Returns
        -------
        pandas.DataFrame
            Columns "contribution", "contribution_low" and "contribution_high". Then five for each
            of "centered_rgf", "rgf", "aurgf" and every scorer: of "rgf" they are "rgf" (without
            the feature), "change_rgf", "change_rgf_low", "change_rgf_high" and
            "refit_noise_rgf". Then "paper_contribution", "pvalue", "pvalue_holm", "pvalue_bh",
            "effect_size", "change_pvalue", "change_pvalue_holm", "change_pvalue_bh", "reading"
            and "error", as in `FeatureRemoval`.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas: install it, or use to_dict()['features']."
            ) from error
        return pd.DataFrame([removal.row() for removal in self.features]).set_index("feature")

    def __str__(self) -> str:
        """Return the whole table, largest contribution first."""
        return removal_table(self.sorted_by("contribution"), n_shown=None)

    def __repr__(self) -> str:
        """Return the rows of the largest absolute contributions."""
        return removal_table(self.sorted_by("contribution"), n_shown=20)
