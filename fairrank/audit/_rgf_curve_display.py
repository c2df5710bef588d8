"""The RGF curve over the kept fraction, drawn with its null reference, area and p-values."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._sensitive import groups_of
from fairrank._validation import check_fraction, check_sample_weight
from fairrank.audit._display_inputs import positive_probability
from fairrank.audit._style import BLUE, GREY, VERMILLION, spelled_pvalue, without_box
from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._rgf_test import rgf_test
from fairrank.inference._rgf_test_result import RGFTestResult
from fairrank.metrics._audit_sample import TIE_TOLERANCE
from fairrank.metrics._rgf_curve import MIN_GROUP_SIZE, RGFCurve, rgf_curve

TEST_AT = (0.1, 0.2, 0.5, 1.0)
LEVEL = 0.05


class RGFCurveDisplay:
    """RGF among the largest burdens, over the fraction kept.

    Create it with `from_estimator` or `from_predictions`; all parameters are stored as
    attributes.

    Parameters
    ----------
    curve : RGFCurve
        What `fairrank.metrics.rgf_curve` returns.
    tests : dict of float to RGFTestResult or None, optional
        Result of `rgf_test` among the largest burdens, by kept fraction; None where it is
        undefined.
    name : str, optional
        Name of the model, in the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D
        RGF from q_min on.
    unreliable_line_ : matplotlib Line2D
        RGF below q_min, faint.
    null_line_ : matplotlib Line2D
        The null reference.
    centered_line_ : matplotlib Line2D or None
    area_ : matplotlib PolyCollection or None
        The area that AURGF averages; None when it is undefined.
    test_markers_ : list of matplotlib Line2D
        One marker a test, filled where p is at most 0.05.

    See Also
    --------
    BurdenCurveDisplay : Where every group carries its burden.
    fairrank.metrics.rgf_curve : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.audit import RGFCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> group, p = np.repeat(["a", "b"], [1500, 500]), rng.random(2000)
    >>> y = (rng.random(2000) < p).astype(int)
    >>> display = RGFCurveDisplay.from_predictions(
    ...     y, p, sensitive_features=group, n_permutations=200, random_state=0
    ... )
    >>> display.test_at
    array([0.1, 0.2, 0.5, 1. ])
    >>> display.plot().ax_.get_xlabel()
    'Kept fraction q of the largest burdens'
    """

    def __init__(self, *, curve: RGFCurve, tests: Any = None, name: str | None = None) -> None:
        self.curve = curve
        self.tests = tests
        self.name = name

    @property
    def test_at(self) -> np.ndarray:
        """Fractions tested."""
        return np.array(list(self.tests or ()), dtype=np.float64)

    @property
    def pvalues(self) -> np.ndarray:
        """P-value at every fraction of `test_at`, not adjusted; NaN where undefined."""
        found = (self.tests or {}).values()
        return np.array([np.nan if test is None else test.pvalue for test in found])

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sensitive_features: Any, pos_label: Any = None,
        name: str | None = None, **options: Any,
    ) -> RGFCurveDisplay:
        """Compute the curve of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier with `predict_proba`
            Binary.
        X : array-like of shape (n_samples, n_features)
            Rows, best not those of the fit.
        y : array-like of shape (n_samples,)
            Their labels.
        sensitive_features : array-like, str, int, list or callable
            Groups of the rows; or a column of `X` by name or position, a list of columns (their
            intersections), or ``X -> groups``.
        pos_label : label, optional
            By default ``estimator.classes_[1]``.
        name : str, optional
            By default the estimator's class.
        **options : dict
            As in `from_predictions`.

        Returns
        -------
        RGFCurveDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_predictions : From scores.
        """
        score, pos_label = positive_probability(estimator, X, pos_label)
        return cls.from_predictions(
            y, score, sensitive_features=groups_of(X, sensitive_features), pos_label=pos_label,
            name=type(estimator).__name__ if name is None else name, **options,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sensitive_features: Any,
        burden: Any = "absolute",
        grid: Any = None,
        min_group_size: int = MIN_GROUP_SIZE,
        test_at: Any = None,
        strata: Any = None,
        n_permutations: int = 1000,
        sample_weight: Any = None,
        pos_label: Any = None,
        missing: str = "raise",
        tie_tolerance: float = TIE_TOLERANCE,
        n_jobs: Any = None,
        random_state: Any = None,
        name: str | None = None,
    ) -> RGFCurveDisplay:
        """Compute the curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), or None
            Two labels; None when `burden` is an array.
        y_score : array-like of shape (n_samples,), or None
            Probability of the positive label, in [0, 1].
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of every row.
        burden : {"absolute", "squared"}, callable or array-like of shape (n_samples,)
            As in `fairrank.metrics.rgf_score`.
        grid : array-like of shape (n_q,), optional
            Kept fractions, ascending to 1; by default 0.01, 0.02, ..., 1.
        min_group_size : int
            Rows of every group inside before the area begins.
        test_at : array-like of float, optional
            Kept fractions at which `rgf_test` runs; by default 0.1, 0.2, 0.5 and 1, or none with
            float weights. Empty for no test.
        strata : None, "outcome", "score", array-like, or a tuple of these
            Inside what rows the tests exchange labels.
        n_permutations : int
            Draws of every test.
        sample_weight : array-like of shape (n_samples,), optional
            Integers are repetitions; floats are masses, which cannot be tested.
        pos_label : label, optional
            The label that `y_score` is the probability of.
        missing : {"raise", "group", "drop"}
            Rows whose group is None or NaN: an error, a group of their own, or left out.
        tie_tolerance : float
            Sorted burdens closer than this part of the largest one are tied, in [0, 1).
        n_jobs : int, optional
            Threads of the tests.
        random_state : int, RandomState or None
            Given to every test: an int makes each equal ``rgf_test(..., top=q)`` with it.
        name : str, optional
            Name of the model.

        Returns
        -------
        RGFCurveDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_estimator : From a fitted classifier.
        """
        shared = {
            "sensitive_features": sensitive_features, "burden": burden, "pos_label": pos_label,
            "sample_weight": sample_weight, "missing": missing,
            "tie_tolerance": tie_tolerance,
        }
        curve = rgf_curve(y_true, y_score, grid=grid, min_group_size=min_group_size, **shared)
        weight = check_sample_weight(sample_weight)
        if test_at is None:
            test_at = () if weight is not None and weight.dtype.kind == "f" else TEST_AT
        fractions = sorted({check_fraction(q, "test_at") for q in test_at})
        tests: dict[float, RGFTestResult | None] = {}
        if fractions:
            inside = rgf_curve(y_true, y_score, grid=sorted({*fractions, 1.0}), **shared)
        for j, q in enumerate(fractions):
            tests[q] = None
            if np.isnan(inside.rgf[j]):  # a group is absent there, or all burdens are equal
                continue
            try:
                tests[q] = rgf_test(
                    y_true, y_score, strata=strata, n_permutations=n_permutations, top=q,
                    comparisons="none", n_jobs=n_jobs, random_state=random_state, **shared,
                )
            except DegenerateGroupError:  # no stratum holds two groups there
                if q == 1.0:
                    raise
        return cls(curve=curve, tests=tests, name=name)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        centered: bool = True,
        curve_kwargs: dict | None = None,
        centered_kwargs: dict | None = None,
        null_kwargs: dict | None = None,
        despine: bool = True,
    ) -> RGFCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default one of a new figure.
        name : str, optional
            Name of the model, instead of the stored one.
        centered : bool
            Draw centred RGF too, whose value for no difference is 1 at every mix of groups.
        curve_kwargs, centered_kwargs, null_kwargs : dict, optional
            Passed to matplotlib's `plot` for RGF, centred RGF and the null reference.
        despine : bool
            Take the top and right spines away.

        Returns
        -------
        RGFCurveDisplay
            This display.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
        curve, name = self.curve, self.name if name is None else name
        reliable = curve.q >= curve.q_min
        look = {"color": BLUE, "linewidth": 2.2, "label": "RGF", **(curve_kwargs or {})}
        if not np.isnan(curve.area):
            look["label"] = f"{look['label']} (AURGF = {curve.area:.3f}, shaded)"
        (self.line_,) = ax.plot(curve.q[reliable], curve.rgf[reliable], **look)
        color = self.line_.get_color()
        # Joined to the line at q_min, so that the curve has no gap.
        early = curve.q <= curve.q_min
        (self.unreliable_line_,) = ax.plot(
            curve.q[early], curve.rgf[early], color=color, alpha=0.4, linewidth=1.0
        )
        self.centered_line_ = None
        if centered:
            (self.centered_line_,) = ax.plot(
                curve.q[reliable],
                curve.centered_rgf[reliable],
                **{
                    "color": VERMILLION, "linewidth": 1.3,
                    "label": "centred RGF (1 = shared alike)", **(centered_kwargs or {}),
                },
            )
        (self.null_line_,) = ax.plot(
            curve.q,
            curve.null_reference,
            **{
                "color": GREY, "linestyle": "--", "linewidth": 1.3,
                "label": "RGF if burdens were shared alike", **(null_kwargs or {}),
            },
        )
        # Below q_min RGF may fall without bound: it is cut off, not allowed to set the scale.
        shown = [curve.rgf[reliable], curve.null_reference]
        if centered:
            shown.append(curve.centered_rgf[reliable])
        lowest = np.nanmin(np.concatenate(shown))
        # Room for the p-values at the foot, below every curve.
        bottom = 0.0 if lowest > 0.2 else lowest - 0.3 * (1.0 - lowest)
        ax.set(
            xlim=(0.0, 1.02), ylim=(bottom, 1.05), xlabel="Kept fraction q of the largest burdens",
            ylabel="RGF among these rows", title="RGF curve" + (f" of {name}" if name else ""),
        )
        self.area_ = None
        if not np.isnan(curve.area):
            self.area_ = ax.fill_between(
                curve.q[reliable], curve.rgf[reliable], bottom, color=color, alpha=0.12,
                linewidth=0,
            )
        self._mark_unreliable(ax)
        self._mark_tests(ax, color)
        without_box(ax, despine)
        ax.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False,
            fontsize="small",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _mark_unreliable(self, ax: Any) -> None:
        """Shade the part where some group has few rows."""
        curve = self.curve
        if curve.q_min > curve.q[0]:
            few = f"q < {curve.q_min:g}: under {curve.min_group_size} rows of some group"
            ax.axvspan(0.0, curve.q_min, color="0.92", zorder=0, linewidth=0, label=few)

    def _mark_tests(self, ax: Any, color: Any) -> None:
        """One marker a test on the curve, its p-value at the foot."""
        self.test_markers_ = []
        for q, pvalue in zip(self.test_at, self.pvalues):
            test = self.tests[q]
            if test is not None:
                face = color if pvalue <= LEVEL else "white"
                self.test_markers_ += ax.plot(
                    q, test.rgf, "o", markersize=7, markerfacecolor=face, markeredgecolor=color,
                    alpha=1.0 if q >= self.curve.q_min else 0.5, zorder=4,
                )
                ax.plot([q, q], [ax.get_ylim()[0], test.rgf], ":", color=GREY, linewidth=0.8)
            shift, side = (2, "left") if q < 0.95 else (-2, "right")
            ax.annotate(
                f"p = {spelled_pvalue(pvalue)}", (q, 0.0), xycoords=("data", "axes fraction"),
                xytext=(shift, 4), textcoords="offset points", ha=side, va="bottom", rotation=90,
                fontsize="small", color="0.25",
            )
        if self.test_markers_:
            ax.plot([], [], "o", color=color, label=f"rgf_test: p ≤ {LEVEL:g} (hollow: above)")
