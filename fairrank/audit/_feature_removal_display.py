"""What removing each feature gains in fairness and costs in accuracy, in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from fairrank._validation import check_choice, check_count
from fairrank.audit._feature_removal_auditor import FeatureRemovalAuditor
from fairrank.audit._feature_removal_result import FeatureRemovalResult
from fairrank.audit._label_placement import label_points
from fairrank.audit._panels import asked_panels, axes_of_panels
from fairrank.audit._removal_of_scores import result_of_scores
from fairrank.audit._style import BLUE, GREY, VERMILLION, spelled_pvalue, without_box

PANELS = ("contributions", "cost")
FAIRNESS = {"centered_rgf": "centred RGF", "rgf": "RGF", "contribution": "FC of centred RGF"}
SCORE_NAMES = {"roc_auc": "ROC-AUC", "average_precision": "average precision"}


class FeatureRemovalDisplay:
    """Two panels: every feature's contribution with its interval, and what removing it costs.

    "contributions" sorts the features by FC (the contribution, see `FeatureRemovalAuditor`) of
    centred RGF: to the right, burdens are shared more alike without the feature. "cost" sets the
    change of fairness against the change of an accuracy score, with both intervals. Points are
    filled where their interval of fairness leaves 0 out. Create it with `from_estimator` or
    `from_predictions`.

    Parameters
    ----------
    result : FeatureRemovalResult
        ``FeatureRemovalAuditor(...).fit(...).result_``.
    name : str, optional
        Name of the model, in the title.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        One a panel, in the order asked for.
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
    contribution_points_, cost_points_ : list of matplotlib Line2D
        One a feature shown.
    labels_ : list of matplotlib Annotation
        Names in the cost plane.

    See Also
    --------
    FeatureRemovalAuditor : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.audit import FeatureRemovalDisplay
    >>> rng = np.random.default_rng(0)
    >>> X, group = rng.normal(size=(400, 3)), rng.random(400) < 0.3
    >>> y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    >>> display = FeatureRemovalDisplay.from_estimator(
    ...     LogisticRegression(), X, y, sensitive_features=group, n_permutations=99,
    ...     n_resamples=100, random_state=0,
    ... )
    >>> display.plot().axes_.shape
    (2,)
    """

    def __init__(self, *, result: FeatureRemovalResult, name: str | None = None) -> None:
        self.result = result
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, sensitive_features: Any = None,
        name: str | None = None, **options: Any,
    ) -> FeatureRemovalDisplay:
        """Audit an estimator, or take the audit of a fitted auditor.

        Parameters
        ----------
        estimator : classifier or FeatureRemovalAuditor
            A fitted auditor needs nothing else. Anything else is cloned and audited on `X`, `y`.
        X : array-like or frame of shape (n_samples, n_features), optional
            Rows to refit on and to hold out.
        y : array-like of shape (n_samples,), optional
            Their labels.
        sensitive_features : str, int, list of columns, callable or array-like, optional
            As the auditor's constructor takes them, or the groups of the rows.
        name : str, optional
            By default the class of the audited estimator.
        **options : dict
            Parameters of `FeatureRemovalAuditor`.

        Returns
        -------
        FeatureRemovalDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_predictions : From scores of models that were refitted elsewhere.
        """
        is_auditor = isinstance(estimator, FeatureRemovalAuditor)
        if X is None:
            if not is_auditor or not hasattr(estimator, "result_"):
                raise ValueError(
                    "X is None: pass X and y, or an auditor that is fitted already."
                )
            auditor = estimator
        else:
            n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
            a_row = (
                sensitive_features is not None
                and not callable(sensitive_features)
                and not isinstance(sensitive_features, (str, int, np.integer))
                and len(sensitive_features) == n_rows
            )
            by_row = {"sensitive_features": sensitive_features} if a_row else {}
            if not a_row and sensitive_features is not None:
                options["sensitive_features"] = sensitive_features
            if is_auditor:
                auditor = clone(estimator).set_params(**options)
            else:
                auditor = FeatureRemovalAuditor(estimator, **options)
            auditor = auditor.fit(X, y, **by_row)
        name = type(auditor.estimator).__name__ if name is None else name
        return cls(result=auditor.result_, name=name)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        y_score_without: Mapping[str, Any],
        *,
        sensitive_features: Any,
        strata: Any = None,
        burden: Any = "absolute",
        n_permutations: int = 2000,
        n_resamples: int = 2000,
        confidence_level: float = 0.95,
        undefined: str = "raise",
        pos_label: Any = None,
        missing: str = "raise",
        n_jobs: Any = None,
        random_state: Any = None,
        name: str | None = None,
    ) -> FeatureRemovalDisplay:
        """Compare scores of models that were refitted elsewhere, on the same rows.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Two labels.
        y_score : array-like of shape (n_samples,)
            Held-out scores of the full model.
        y_score_without : dict of str to array-like of shape (n_samples,)
            By feature, held-out scores of the model without it.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of every row.
        strata : array-like of shape (n_samples,), optional
            Fold of every row, for scores out of fold: labels are exchanged inside.
        burden : {"absolute", "squared"} or callable
            As in `fairrank.metrics.rgf_score`.
        n_permutations, n_resamples : int
            Draws of the tests and of the intervals; 0 for none.
        confidence_level : float
            Of the intervals.
        undefined : {"raise", "nan"}
            All burdens of a model are equal: an error, or NaN with a warning.
        pos_label : label, optional
            The label that scores are the probability of.
        missing : {"raise", "group", "drop"}
            Rows whose group is None or NaN: an error, a group of their own, or left out.
        n_jobs : int, optional
            Threads.
        random_state : int, RandomState or None
            Seed of the draws.
        name : str, optional
            Name of the model.

        Returns
        -------
        FeatureRemovalDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_estimator : Refit and compare.
        """
        result = result_of_scores(
            y_true, y_score, y_score_without, sensitive_features=sensitive_features,
            strata=strata, burden=burden, n_permutations=n_permutations,
            n_resamples=n_resamples, confidence_level=confidence_level, undefined=undefined,
            pos_label=pos_label, missing=missing, n_jobs=n_jobs, random_state=random_state,
        )
        return cls(result=result, name=name)

    def plot(
        self,
        axes: Any = None,
        *,
        panels: Any = PANELS,
        n_features: int = 15,
        n_labels: int = 10,
        fairness: str = "centered_rgf",
        score: str | None = None,
        name: str | None = None,
        despine: bool = True,
    ) -> FeatureRemovalDisplay:
        """Draw the panels.

        Parameters
        ----------
        axes : matplotlib Axes or array-like of them, optional
            As many as there are panels; by default a new figure.
        panels : str or sequence of str
            Of "contributions" and "cost".
        n_features : int
            Features in "contributions": those of the largest absolute value, sorted. The cost
            plane shows all.
        n_labels : int
            Names in the cost plane, farthest from the full model first.
        fairness : {"centered_rgf", "rgf", "contribution"}
            On the vertical axis of the cost plane; "rgf" is the paper's, which rewards
            unfairness.
        score : str, optional
            On its horizontal axis; by default the first scorer.
        name : str, optional
            Name of the model, instead of the stored one.
        despine : bool
            Take the top and right spines away.

        Returns
        -------
        FeatureRemovalDisplay
            This display.
        """
        panels = asked_panels(panels, PANELS)
        check_count(n_features, "n_features")
        check_count(n_labels, "n_labels", minimum=0)
        check_choice(fairness, tuple(FAIRNESS), "fairness")
        scores = tuple(self.result.full.scores)
        if "cost" in panels and not scores:
            raise ValueError("The audit has no scorer to set fairness against: leave out 'cost'.")
        if score is not None:
            check_choice(score, scores, "score")
        own_figure = axes is None
        shown = self._shown(n_features)
        self.axes_ = axes_of_panels(axes, panels, 6.4, max(4.6, 1.6 + 0.3 * len(shown)))
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        name = self.name if name is None else name
        if own_figure:
            self.figure_.suptitle(self._title(name), fontsize="medium")
        for panel, ax in zip(panels, self.axes_):
            if panel == "contributions":
                self._draw_contributions(ax, shown)
            else:
                self._draw_cost(ax, fairness, score or scores[0], n_labels)
            without_box(ax, despine)
        return self

    def _title(self, name: str | None) -> str:
        full = self.result.full
        how = {"refit": "refitted without each feature", "neutralize": "features neutralised"}
        head = f"{name or 'The model'}, {how[self.result.strategy]}"
        parts = [f"centred RGF {full.centered_rgf:.3f}"]
        if not np.isnan(full.pvalue):
            parts.append(f"test p {spelled_pvalue(full.pvalue)}")
        parts += [f"{SCORE_NAMES.get(key, key)} {value:.3f}" for key, value in full.scores.items()]
        return f"{head}\nfull model: {', '.join(parts)}"

    def _shown(self, n_features: int) -> list:
        known = [r for r in self.result.features if not np.isnan(r.contribution)]
        largest = sorted(known, key=lambda r: abs(r.contribution), reverse=True)[:n_features]
        return sorted(largest, key=lambda r: r.contribution)

    def _draw_contributions(self, ax: Any, shown: list) -> None:
        """FC with its interval, a line a feature, and the test's p-value at the right."""
        self.contribution_points_ = []
        for place, removal in enumerate(shown):
            color = VERMILLION if removal.contribution > 0 else BLUE
            clear = _leaves_out_zero(removal.contribution_low, removal.contribution_high)
            ax.hlines(
                place, removal.contribution_low, removal.contribution_high, color=color,
                linewidth=1.6, alpha=1.0 if clear else 0.55,
            )
            self.contribution_points_ += ax.plot(
                removal.contribution, place, "o", color=color, markersize=7,
                markerfacecolor=color if clear else "white",
            )
            ax.annotate(
                spelled_pvalue(removal.pvalue), (1.0, place), xycoords=("axes fraction", "data"),
                xytext=(6, 0), textcoords="offset points", va="center", fontsize="small",
                color="0.25",
            )
        ax.annotate(
            "test p\nwithout it", (1.0, len(shown) - 0.4),
            xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
            va="bottom", fontsize="small", color="0.25",
        )
        ax.axvline(0.0, color=GREY, linestyle="--", linewidth=1.0, zorder=1)
        ax.set_yticks(range(len(shown)), [removal.feature for removal in shown])
        ax.set(
            ylim=(-0.7, len(shown) - 0.3),
            xlabel="FC of centred RGF\n"
            "← further apart, part of the score lost     "
            "more alike, part of the gap to 1 closed →",
            title="What goes with each feature",
        )
        ax.grid(axis="x", color="0.92")
        ax.set_axisbelow(True)
        self._note_left_out(ax, shown)

    def _note_left_out(self, ax: Any, shown: list) -> None:
        failed = [removal.feature for removal in self.result.failed]
        notes = []
        n_more = len(self.result.features) - len(failed) - len(shown)
        if n_more:
            notes.append(f"{n_more} features of smaller |FC| are not shown")
        if failed:
            notes.append(f"not measured: {', '.join(failed[:5])}{' …' if len(failed) > 5 else ''}")
        if notes:
            ax.set_xlabel(ax.get_xlabel() + "\n" + "; ".join(notes))

    def _draw_cost(self, ax: Any, fairness: str, score: str, n_labels: int) -> None:
        """Change of fairness against change of accuracy, crosses for intervals."""
        drawn = [r for r in self.result.features if r.error is None]
        rows = [removal.row() for removal in drawn]
        if fairness == "contribution":
            keys = ("contribution", "contribution_low", "contribution_high")
        else:
            keys = (f"change_{fairness}", f"change_{fairness}_low", f"change_{fairness}_high")
        y, y_low, y_high = (np.array([row[key] for row in rows], dtype=float) for key in keys)
        x, x_low, x_high = (
            np.array([row[f"change_{score}{end}"] for row in rows], dtype=float)
            for end in ("", "_low", "_high")
        )
        self.cost_points_ = []
        for i in range(len(drawn)):
            clear = _leaves_out_zero(y_low[i], y_high[i])
            color = VERMILLION if y[i] > 0 else BLUE
            line = {"color": color, "linewidth": 1.1, "alpha": 0.75 if clear else 0.3}
            ax.plot([x_low[i], x_high[i]], [y[i], y[i]], zorder=2, **line)
            ax.plot([x[i], x[i]], [y_low[i], y_high[i]], zorder=2, **line)
            self.cost_points_ += ax.plot(
                x[i], y[i], "o", color=color, markersize=6, zorder=3,
                markerfacecolor=color if clear else "white",
            )
        ax.axhline(0.0, color=GREY, linestyle="--", linewidth=1.0, zorder=0)
        ax.axvline(0.0, color=GREY, linestyle="--", linewidth=1.0, zorder=0)
        ax.margins(0.12)
        ax.set(
            xlabel=f"Change of {SCORE_NAMES.get(score, score)} without the feature",
            ylabel=f"Change of {FAIRNESS[fairness]} without the feature"
            if fairness != "contribution" else FAIRNESS[fairness],
            title="What removing it gains and costs",
        )
        corners = [
            (0.01, 0.99, "more alike, less accurate"), (0.99, 0.99, "more alike, more accurate"),
            (0.01, 0.01, "further apart, less accurate"),
            (0.99, 0.01, "further apart, more accurate"),
        ]
        texts = [
            ax.text(
                left, low, text, transform=ax.transAxes, color="0.55", fontsize="small",
                style="italic", ha="left" if left < 0.5 else "right",
                va="top" if low > 0.5 else "bottom",
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0},
            )
            for left, low, text in corners
        ]
        self.labels_ = label_points(
            ax, np.column_stack([x, y]), np.column_stack([x_low, y_low]),
            np.column_stack([x_high, y_high]), [r.feature for r in drawn], n_labels, texts,
        )


def _leaves_out_zero(low: float, high: float) -> bool:
    return low > 0.0 or high < 0.0
