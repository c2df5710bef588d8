"""Both xROC curves of a pair of groups in one picture, before and after an adjustment."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairrank._sensitive import groups_of
from fairrank._validation import check_choice
from fairrank.inference._group_aware_classifier import GroupAwareClassifier
from fairrank.metrics._ranking_disparity import ranking_disparity
from fairrank.metrics._xroc import XROCCurve, xroc_curve

# Okabe and Ito's colours, told apart by colour-blind readers too.
BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#666666"
RESPONSES = ("predict_proba", "decision_function")


def score_toward(
    estimator: Any, X: Any, pos_label: Any, response_method: str
) -> tuple[np.ndarray, Any]:
    """Score that grows with the chance of the positive class, and that class.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        Before anything else.
    AttributeError
        The estimator gives no score.
    ValueError
        It is not binary, or does not know `pos_label`.
    """
    check_is_fitted(estimator)
    name = type(estimator).__name__
    asked = RESPONSES if response_method == "auto" else (response_method,)
    found = [method for method in asked if hasattr(estimator, method)]
    if not found:
        raise AttributeError(
            f"{name} has no {' and no '.join(asked)}: pass another response_method=, or its "
            "scores to from_predictions."
        )
    classes = np.asarray(estimator.classes_).tolist()
    if len(classes) != 2:
        raise ValueError(
            f"{name} has {len(classes)} classes, and a ranking needs two: pass the score of one "
            "of them to from_predictions."
        )
    pos_label = classes[1] if pos_label is None else pos_label
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not among {name}'s classes {classes}.")
    answer = np.asarray(getattr(estimator, found[0])(X))
    if found[0] == "predict_proba":
        return answer[:, classes.index(pos_label)], pos_label
    return (-answer if pos_label == classes[0] else answer), pos_label


class XROCDisplay:
    """Both xROC curves of two groups: positives of each against negatives of the other.

    Where one curve lies above the other, the positives of its first group pass more easily than
    those of the second at the same rate of wrongly passed negatives. The areas are the two
    cross-group AUCs, and the area between the curves their difference.

    Create it with `from_estimator` or `from_predictions`; all parameters are stored as
    attributes.

    Parameters
    ----------
    curves : tuple of two XROCCurve
        (a above b, b above a), as `fairrank.metrics.xroc_curve` returns them.
    before : tuple of two XROCCurve, optional
        The same before an adjustment.
    name : str, optional
        Name of the model, in the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : tuple of two matplotlib Line2D
    before_lines_ : tuple of matplotlib Line2D
        Two, or none.
    gap_ : matplotlib PolyCollection
        The area between the two curves.
    chance_level_ : matplotlib Line2D or None

    See Also
    --------
    fairrank.metrics.xroc_curve : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.ranking import XROCDisplay
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b"], 2000), rng.integers(0, 2, 2000)
    >>> score = rng.normal(size=2000) + y + 0.5 * (group == "b")
    >>> display = XROCDisplay.from_predictions(
    ...     y, score - 0.5 * (group == "b"), y_score_before=score, sensitive_features=group
    ... )
    >>> display.pair, round(display.disparity_before, 2), round(display.disparity, 2)
    (('b', 'a'), 0.26, 0.04)
    >>> display.plot().ax_.get_ylabel()
    'True positive rate of the group above'
    """

    def __init__(
        self,
        *,
        curves: tuple[XROCCurve, XROCCurve],
        before: tuple[XROCCurve, XROCCurve] | None = None,
        name: str | None = None,
    ) -> None:
        self.curves = curves
        self.before = before
        self.name = name

    @property
    def pair(self) -> tuple:
        """The two groups; the first was favoured by the earliest score, unless it was given."""
        return self.curves[0].above, self.curves[0].below

    @property
    def disparity(self) -> float:
        """``xAUC(a, b) - xAUC(b, a)``, positive where the first of `pair` is favoured."""
        return self.curves[0].area - self.curves[1].area

    @property
    def disparity_before(self) -> float:
        """The same before the adjustment; NaN where there is none."""
        return float("nan") if self.before is None else self.before[0].area - self.before[1].area

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sensitive_features: Any, before: Any = None,
        response_method: str = "auto", pos_label: Any = None, name: str | None = None,
        **options: Any,
    ) -> XROCDisplay:
        """Compute the curves of a fitted classifier.

        Parameters
        ----------
        estimator : fitted binary classifier
            With `predict_proba` or `decision_function`.
        X : array-like of shape (n_samples, n_features)
            Rows, best not those of the fit.
        y : array-like of shape (n_samples,)
            Their labels.
        sensitive_features : array-like, str, int, list or callable
            Groups of the rows; or a column of `X` by name or position, a list of columns (their
            intersections), or ``X -> groups``.
        before : fitted binary classifier, optional
            The model before its adjustment, asked for the same rows; ``estimator.estimator_`` is
            shown the columns that it was fitted on.
        response_method : {"auto", "predict_proba", "decision_function"}
            "auto" takes the first of these that the classifier has.
        pos_label : label, optional
            By default ``estimator.classes_[1]``.
        name : str, optional
            By default the estimator's class.
        **options : dict
            As in `from_predictions`.

        Returns
        -------
        XROCDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_predictions : From scores.
        """
        check_choice(response_method, ("auto", *RESPONSES), "response_method")
        score, pos_label = score_toward(estimator, X, pos_label, response_method)
        if before is not None:
            shown = X
            own = isinstance(estimator, GroupAwareClassifier)
            if own and before is getattr(estimator, "estimator_", None):
                # It was fitted on the columns that drop_sensitive left.
                _, shown = estimator._rows_at_predict(X)
            earlier, _ = score_toward(before, shown, pos_label, response_method)
            options = {**options, "y_score_before": earlier}
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
        y_score_before: Any = None,
        pair: tuple | None = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        missing: str = "raise",
        name: str | None = None,
    ) -> XROCDisplay:
        """Compute the curves of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Two labels.
        y_score : array-like of shape (n_samples,)
            Finite scores on any monotone scale.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of every row.
        y_score_before : array-like of shape (n_samples,), optional
            Scores of the same rows before an adjustment.
        pair : tuple of two groups, optional
            By default the pair of the largest xAUC disparity before the adjustment, if there is
            one, the favoured group first.
        sample_weight : array-like of shape (n_samples,), optional
            Integers are repetitions, floats masses.
        pos_label : label, optional
            The label that a higher score speaks for.
        missing : {"raise", "group", "drop"}
            Rows whose group is None or NaN: an error, a group of their own, or left out.
        name : str, optional
            Name of the model.

        Returns
        -------
        XROCDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_estimator : From a fitted classifier.
        """
        shared = {
            "sensitive_features": sensitive_features, "pos_label": pos_label,
            "sample_weight": sample_weight, "missing": missing,
        }
        if pair is None:
            earliest = y_score if y_score_before is None else y_score_before
            pair = ranking_disparity(y_true, earliest, **shared).pair
        elif not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(f"pair must be two groups, got {pair!r}.")
        first, second = pair  # type: ignore[misc]  # never None where undefined="raise"

        def both(score: Any) -> tuple[XROCCurve, XROCCurve]:
            return (
                xroc_curve(y_true, score, above=first, below=second, **shared),
                xroc_curve(y_true, score, above=second, below=first, **shared),
            )

        before = None if y_score_before is None else both(y_score_before)
        return cls(curves=both(y_score), before=before, name=name)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        curve_kwargs: Any = None,
        before_kwargs: dict | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: dict | None = None,
        despine: bool = True,
    ) -> XROCDisplay:
        """Draw both curves, and those before the adjustment dashed.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default one of a new figure.
        name : str, optional
            Name of the model, instead of the stored one.
        curve_kwargs : dict or list of two dict, optional
            Passed to matplotlib's `plot` for both curves, or for each.
        before_kwargs : dict, optional
            The same for the curves before the adjustment.
        plot_chance_level : bool
            Draw the diagonal.
        chance_level_kw : dict, optional
            Passed to matplotlib's `plot` for it.
        despine : bool
            Take the top and right spines away.

        Returns
        -------
        XROCDisplay
            This display.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(5.4, 5.6), layout="constrained")
        name = self.name if name is None else name
        each = curve_kwargs if isinstance(curve_kwargs, (list, tuple)) else [curve_kwargs] * 2
        lines, before_lines = [], []
        for i, (curve, color) in enumerate(zip(self.curves, (BLUE, VERMILLION))):
            (line,) = ax.plot(
                curve.fpr, curve.tpr,
                **{"color": color, "linewidth": 2.0, "label": self._label(i), **(each[i] or {})},
            )
            lines.append(line)
            if self.before is not None:
                look = {"color": line.get_color(), "linestyle": "--", "linewidth": 1.3,
                        "alpha": 0.7, **(before_kwargs or {})}
                before_lines += ax.plot(self.before[i].fpr, self.before[i].tpr, **look)
        self.lines_, self.before_lines_ = tuple(lines), tuple(before_lines)
        self.gap_ = self._shade(ax)
        self.chance_level_ = None
        if plot_chance_level:
            look = {"color": GREY, "linestyle": ":", "linewidth": 1.2, "label": "chance (0.5)"}
            (self.chance_level_,) = ax.plot([0, 1], [0, 1], **{**look, **(chance_level_kw or {})})
        earlier = "" if self.before is None else f"{self.disparity_before:+.3f} (dashed) → "
        ax.set(
            xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal",
            xlabel="False positive rate of the group below",
            ylabel="True positive rate of the group above",
        )
        title = "xROC curves" + (f" of {name}" if name else "")
        ax.set_title(f"{title}\nxAUC disparity {earlier}{self.disparity:+.3f}", fontsize="medium")
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
        ax.legend(loc="lower right", frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _label(self, i: int) -> str:
        """Who stands above whom, and how often."""
        curve = self.curves[i]
        earlier = "" if self.before is None else f"{self.before[i].area:.3f} → "
        return f"{curve.above} above {curve.below}: xAUC {earlier}{curve.area:.3f}"

    def _shade(self, ax: Any) -> Any:
        """Fill the area between the two curves; at a jump both of its ends count."""
        at = np.unique(np.concatenate([curve.fpr for curve in self.curves]))
        x, sides = np.repeat(at, 2), []
        for curve in self.curves:
            ends = [np.searchsorted(curve.fpr, at, side) for side in ("left", "right")]
            inside = np.interp(at, curve.fpr, curve.tpr)
            # Between two points the curve is interpolated; at one or several it takes their ends.
            on = ends[0] < ends[1]
            low = np.where(on, curve.tpr[np.minimum(ends[0], curve.tpr.size - 1)], inside)
            high = np.where(on, curve.tpr[ends[1] - 1], inside)
            sides.append(np.column_stack((low, high)).ravel())
        return ax.fill_between(x, *sides, color=GREY, alpha=0.15, linewidth=0)
