"""Held-out scores gathered from the refits, feature by feature, until they make a result."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from fairrank.audit._audit_plan import AuditPlan
from fairrank.audit._audited_features import AuditedFeature
from fairrank.audit._feature_removal import (
    HeldOutRows,
    MeasuredModel,
    measured_model,
    removal_result,
)
from fairrank.audit._feature_removal_result import FeatureRemovalResult
from fairrank.audit._refits import AuditData, HeldOutScore, warn_of_failures
from fairrank.audit._scoring import pooled_value


class HeldOutScores:
    """Scores of every row by models that were not fitted on it.

    Parameters
    ----------
    data : AuditData
    plan : AuditPlan
    n_seeds : int
    column_labels : callable
        Position -> name of a column.
    """

    def __init__(self, data: AuditData, plan: AuditPlan, n_seeds: int, column_labels: Any):
        self.data = data
        self.plan = plan
        self.n_seeds = n_seeds
        self.column_labels = column_labels
        self.features = plan.features
        self.score: dict[AuditedFeature | None, np.ndarray] = {}
        # A scorer's value of every seed and fold.
        self.values: dict[AuditedFeature | None, dict[str, np.ndarray]] = {}
        self.errors: dict[AuditedFeature, str] = {}
        self.n_left: dict[AuditedFeature | None, int] = {}

    def add(self, one: HeldOutScore, *, raising: bool) -> None:
        """Keep the scores of one refit, or why it failed.

        Raises
        ------
        Exception
            The full model's own, whatever it is; a feature's, when `raising`.
        """
        feature = one.feature
        if one.error is not None and feature is None:
            one.error.add_note(self._note_on_full_model(one))
            raise one.error
        n_tasks = len(self.plan.splits) * self.n_seeds
        self.n_left[feature] = self.n_left.get(feature, n_tasks) - 1
        if one.error is not None:
            assert feature is not None
            message = self._reason(feature, one)
            if raising:
                raise RuntimeError(message) from one.error
            self.errors.setdefault(feature, message)
            return
        assert one.score is not None
        test = self.plan.splits[one.fold][1]
        shape = (self.n_seeds, self.plan.outcome.size)
        self.score.setdefault(feature, np.full(shape, np.nan))[one.seed, test] = one.score
        values = self.values.setdefault(feature, {})
        shape = (self.n_seeds, len(self.plan.splits))
        for name, value in one.values.items():
            values.setdefault(name, np.full(shape, np.nan))[one.seed, one.fold] = value

    def is_complete(self, feature: AuditedFeature | None) -> bool:
        """Whether all refits of a feature (None: of the full model) have come back."""
        return self.n_left.get(feature) == 0

    def finished(self) -> HeldOutScores:
        """Only the features that are complete."""
        part = copy.copy(self)
        part.features = tuple(f for f in self.features if self.is_complete(f))
        return part

    def name_of(self, feature: AuditedFeature | None) -> str:
        """What progress calls a feature."""
        return "the full model" if feature is None else f"the model without {feature.name}"

    def by_feature(self) -> dict[str | None, np.ndarray]:
        """Scores by name of the feature, the full model's under None."""
        return {
            None if feature is None else feature.name: self.score[feature]
            for feature in (None, *self.features)
            if feature in self.score
        }

    def result(
        self, auditor: Any, n_permutations: int, n_resamples: int, seed: np.random.SeedSequence
    ) -> FeatureRemovalResult:
        """Measure every model and compare it with the full one."""
        warn_of_failures({feature.name: error for feature, error in self.errors.items()})
        held_out = np.zeros(self.plan.outcome.size, dtype=bool)
        fold = np.zeros(self.plan.outcome.size, dtype=np.intp)
        for k, (_, test) in enumerate(self.plan.splits):
            held_out[test] = True
            fold[test] = k
        audited = held_out & self.plan.groups.keep
        rows = HeldOutRows(
            outcome=self.plan.outcome[audited],
            group=self.plan.groups.codes[audited],
            labels=self.plan.groups.labels,
            fold=fold[audited],
            burden=auditor.burden,
            n_dropped=int((held_out & ~self.plan.groups.keep).sum()),
            pooled=self.data.scoring.pooled,
        )
        full = measured_model(
            rows, self.score[None][:, audited], self._scores(None, rows, audited, held_out),
            self.name_of(None), auditor.undefined,
        )
        models: dict[AuditedFeature, MeasuredModel | str] = {}
        for feature in self.features:
            if feature in self.errors:
                models[feature] = self.errors[feature]
                continue
            models[feature] = measured_model(
                rows, self.score[feature][:, audited],
                self._scores(feature, rows, audited, held_out), self.name_of(feature),
                auditor.undefined,
            )
        return removal_result(
            rows, full, models, column_labels=self.column_labels, strategy=auditor.strategy,
            n_permutations=n_permutations, n_resamples=n_resamples,
            confidence_level=auditor.confidence_level, seed=seed, n_jobs=auditor.n_jobs,
        )

    def _scores(
        self, feature: AuditedFeature | None, rows: HeldOutRows, audited: np.ndarray,
        held_out: np.ndarray,
    ) -> dict[str, np.ndarray]:
        """Every scorer's value a seed."""
        score = self.score[feature][:, audited]
        found = {
            name: np.array([pooled_value(statistic, rows.outcome, one) for one in score])
            for name, statistic in self.data.scoring.pooled.items()
        }
        by_fold = self.values.get(feature, {})
        # Weighted by rows, so that a fold counts as it does in the pooled measures; summed at
        # the end, because folds arrive in any order and sums of floats depend on theirs.
        weight = np.array([test.size for _, test in self.plan.splits]) / held_out.sum()
        return found | {name: values @ weight for name, values in by_fold.items()}

    def _note_on_full_model(self, one: HeldOutScore) -> str:
        note = f"FeatureRemovalAuditor: this came from the full model, in fold {one.fold}."
        if self.plan.named:
            names = ", ".join(map(self.column_labels, self.plan.named))
            note += (
                f" The group's column ({names}) had been taken out of X: if the estimator reads "
                "or drops it by itself, pass drop_sensitive=False."
            )
        return note

    def _reason(self, feature: AuditedFeature, one: HeldOutScore) -> str:
        names = ", ".join(map(self.column_labels, feature.columns))
        error = f"{type(one.error).__name__}: {one.error}"
        if self.data.neutralize is not None:
            return (
                f"replacing {feature.name!r} ({names}) in held-out rows failed in fold "
                f"{one.fold}: {error}\nValues that the model has not seen (the mean of codes, "
                "say) come from neutralize='mean': try neutralize='draws'."
            )
        return (
            f"the estimator could not be fitted without {feature.name!r} ({names}), in fold "
            f"{one.fold}: {error}\nA step that needs the column must be able to do without it: "
            "select columns in a ColumnTransformer (by name, position, slice, mask or "
            "make_column_selector), where the auditor can take them out, not inside a function "
            "or another class of step; or remove the columns together that belong together, "
            "features={'name': [columns]}."
        )
