"""AUC against disparity along a path of orderings, fitted and held out."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank.ranking._fair_ordering_path import fair_ordering_path
from fairrank.ranking._fair_ordering_path_result import FairOrderingPath, PathValues
from fairrank.ranking._held_out import mean_over_folds
from fairrank.ranking._xroc_display import BLUE, GREY, VERMILLION

AXIS = {"xauc": "xAUC disparity", "prf": "PRF disparity", "urf": "URF disparity"}


class RankingTradeOffDisplay:
    """What each bit of disparity costs in AUC: the path, its bound, and what new rows say.

    Make one with `from_estimator`, `from_predictions` or `from_path`.

    Parameters
    ----------
    fitted : PathValues
        AUC and disparity of the path on the rows it was fitted on, and of the unadjusted scores.
    disparity : {"xauc", "prf", "urf"}
        What the disparity is one of.
    max_disparity, upper_bound : ndarray of shape (n_points,), optional
        What was allowed, and the AUC that no order exceeds there.
    held_out : PathValues, optional
        The same maps on other rows.
    name : str, optional
        Name of the model, in the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    fitted_line_ : matplotlib Line2D
    bound_line_ : matplotlib Line2D or None
        None where the path was asked for by trade-offs, or no bound is known.
    held_out_line_ : matplotlib Line2D or None
    unadjusted_ : tuple of matplotlib Line2D
        The scores as they came, on the rows of the fit and on others.

    See Also
    --------
    fair_ordering_path : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.ranking import RankingTradeOffDisplay
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b"], 4000), rng.integers(0, 2, 4000)
    >>> score = rng.normal(size=4000) + y * (1 + (group == "b"))
    >>> half = np.arange(4000) < 2000
    >>> display = RankingTradeOffDisplay.from_predictions(
    ...     y[half], score[half], sensitive_features=group[half], disparity="prf", n_points=10,
    ...     held_out=(y[~half], score[~half], group[~half]),
    ... )
    >>> display.plot().ax_.get_xlabel()
    'PRF disparity'
    """

    def __init__(
        self,
        *,
        fitted: PathValues,
        disparity: str,
        max_disparity: np.ndarray | None = None,
        upper_bound: np.ndarray | None = None,
        held_out: PathValues | None = None,
        name: str | None = None,
    ) -> None:
        self.fitted = fitted
        self.disparity = disparity
        self.max_disparity = max_disparity
        self.upper_bound = upper_bound
        self.held_out = held_out
        self.name = name

    @classmethod
    def from_estimator(cls, estimator: Any, *, n_points: int = 11,
                       name: str | None = None) -> RankingTradeOffDisplay:
        """Compute the path of a fitted post-processor.

        Parameters
        ----------
        estimator : XOrderPostProcessor
            Fitted. Its folds give the held-out curve; it has none where there are no folds.
        n_points : int
            Allowed disparities, evenly spaced.
        name : str, optional
            By default the class of the estimator inside.

        Returns
        -------
        RankingTradeOffDisplay
            Call `plot` to draw it.

        See Also
        --------
        XOrderPostProcessor.trade_off_path : The numbers.
        """
        path = estimator.trade_off_path(n_points=n_points)
        fitted = PathValues(
            auc=path.auc, disparity=path.disparity, auc_before=path.auc_before,
            disparity_before=path.disparity_before, standard_error=float("nan"),
        )
        held_out = None
        if not np.isnan(path.held_out_auc).all():
            folds = estimator.held_out_folds_
            held_out = PathValues(
                auc=path.held_out_auc,
                disparity=path.held_out_disparity,
                auc_before=mean_over_folds(folds["auc_before"]),
                disparity_before=mean_over_folds(folds["disparity_before"]),
                standard_error=float("nan"),  # folds tell that of the adjusted scores only
            )
        return cls(
            fitted=fitted, disparity=path.measure, max_disparity=path.max_disparity,
            upper_bound=path.upper_bound, held_out=held_out,
            name=type(estimator.estimator).__name__ if name is None else name,
        )

    @classmethod
    def from_path(cls, path: FairOrderingPath, *, held_out: PathValues | None = None,
                  name: str | None = None) -> RankingTradeOffDisplay:
        """Show a path that is there already.

        Parameters
        ----------
        path : FairOrderingPath
            Of `fair_ordering_path`.
        held_out : PathValues, optional
            Of ``path.evaluate``.
        name : str, optional
            Name of the model.

        Returns
        -------
        RankingTradeOffDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_predictions : From scores.
        """
        fitted = PathValues(
            auc=path.auc, disparity=path.disparity_after, auc_before=path.auc_before,
            disparity_before=path.disparity_before, standard_error=float("nan"),
        )
        return cls(
            fitted=fitted, disparity=path.disparity, max_disparity=path.max_disparity,
            upper_bound=path.upper_bound, held_out=held_out, name=name,
        )

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_score: Any, *, sensitive_features: Any, held_out: Any = None,
        name: str | None = None, **options: Any,
    ) -> RankingTradeOffDisplay:
        """Compute the path of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Two labels.
        y_score : array-like of shape (n_samples,)
            Finite scores on any monotone scale.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of every row.
        held_out : tuple (y_true, y_score, sensitive_features), optional
            Other rows, scored by the same model.
        name : str, optional
            Name of the model.
        **options : dict
            As in `fair_ordering_path`: `disparity`, `n_points`, `solver`, ...

        Returns
        -------
        RankingTradeOffDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_path : From a path.
        """
        path = fair_ordering_path(
            y_true, y_score, sensitive_features=sensitive_features, **options
        )
        seen = None
        if held_out is not None:
            if not isinstance(held_out, (tuple, list)) or len(held_out) != 3:
                raise ValueError(
                    "held_out must be (y_true, y_score, sensitive_features) of other rows, got "
                    f"a {type(held_out).__name__}."
                )
            new_y, new_score, new_groups = held_out
            seen = path.evaluate(
                new_y, new_score, sensitive_features=new_groups,
                pos_label=options.get("pos_label"), missing=options.get("missing", "raise"),
            )
        return cls.from_path(path, held_out=seen, name=name)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        line_kwargs: dict | None = None,
        held_out_kwargs: dict | None = None,
        plot_bound: bool = True,
        despine: bool = True,
    ) -> RankingTradeOffDisplay:
        """Draw AUC against disparity.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default one of a new figure.
        name : str, optional
            Name of the model, instead of the stored one.
        line_kwargs, held_out_kwargs : dict, optional
            Passed to matplotlib's `plot` for the fitted and the held-out curve.
        plot_bound : bool
            Draw what no ordering of the fitted scores exceeds.
        despine : bool
            Take the top and right spines away.

        Returns
        -------
        RankingTradeOffDisplay
            This display.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6.2, 4.6), layout="constrained")
        fitted, held_out = self.fitted, self.held_out
        name = self.name if name is None else name
        self.bound_line_ = None
        bound = self._bound()
        if plot_bound and bound.size:
            (self.bound_line_,) = ax.plot(
                *bound.T, color=GREY, linestyle=":", linewidth=3.0, alpha=0.7,
                label="bound: no ordering is above",
            )
        look = {"color": BLUE, "linewidth": 1.8, "marker": ".", "label": "fitted rows",
                **(line_kwargs or {})}
        (self.fitted_line_,) = ax.plot(fitted.disparity, fitted.auc, **look)
        marks = ax.plot(
            fitted.disparity_before, fitted.auc_before, color=self.fitted_line_.get_color(),
            marker="D", linestyle="none", markersize=7, label="unadjusted, fitted rows",
        )
        self.held_out_line_ = None
        if held_out is not None:
            look = {"color": VERMILLION, "linewidth": 1.4, "marker": ".", "label": "new rows",
                    **(held_out_kwargs or {})}
            (self.held_out_line_,) = ax.plot(held_out.disparity, held_out.auc, **look)
            color = self.held_out_line_.get_color()
            marks += ax.plot(
                held_out.disparity_before, held_out.auc_before, color=color, marker="D",
                linestyle="none", markersize=7, label="unadjusted, new rows",
            )
            if not np.isnan(held_out.standard_error):
                # How far a disparity of new rows moves by chance.
                ax.errorbar(
                    held_out.disparity_before, held_out.auc_before, color=color, capsize=3,
                    xerr=held_out.standard_error, linewidth=1.0,
                )
        self.unadjusted_ = tuple(marks)
        ax.set(xlabel=AXIS[self.disparity], ylabel="AUC")
        ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
        ax.set_title("Fairness and accuracy of orderings" + (f" of {name}" if name else ""),
                     fontsize="medium")
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small", loc="best")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _bound(self) -> np.ndarray:
        """Disparity and bound in AUC of the points that were asked for by a disparity."""
        if self.max_disparity is None or self.upper_bound is None:
            return np.zeros((0, 2))
        points = np.column_stack((self.max_disparity, self.upper_bound))
        return points[~np.isnan(points).any(axis=1)]
