"""Frontiers, cuts and the price of equal welfare, in one picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from fairrank._sensitive import encode_seen_groups, groups_of_rows
from fairrank._validation import check_choice, check_count
from fairrank.welfare._policy import welfare_optimal_policy
from fairrank.welfare._policy_result import SAME, WelfarePolicy, check_unpriced
from fairrank.welfare._policy_sample import policy_sample
from fairrank.welfare._price_of_fairness_path import path_of_frontiers
from fairrank.welfare._price_of_fairness_path_result import PriceOfFairnessPath
from fairrank.welfare._score_distribution import (
    ScoreDistribution,
    distribution_of_rows,
    score_distribution,
)
from fairrank.welfare._welfare_panels import draw_frontiers, draw_price, draw_thresholds

PANELS = ("frontiers", "thresholds", "price")


class WelfareDisplay:
    """What equal welfare does to each group and to the lender, in up to three panels.

    "frontiers": the largest revenue at every welfare of each group, with the lender's own choice,
    the policy's, and the welfare (or the window of it) that all are brought to. "thresholds": how
    each group is spread over a score, who of it is accepted, and the cuts. "price": what every
    tolerance costs. Create it with `from_policy`, `from_predictions` or `from_estimator`.

    Parameters
    ----------
    policy : WelfarePolicy
        What `welfare_optimal_policy` returns.
    path : PriceOfFairnessPath
        What `price_of_fairness_path` returns on the same rows.
    distribution : ScoreDistribution, optional
        Scores of rows and who of them is accepted; without it there are no thresholds to draw.
    name : str, optional
        Name of the model, in the title.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        One a panel, in the order asked for.
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
    frontier_lines_ : list of matplotlib Line2D
        One a group.
    chosen_points_, unconstrained_points_ : list of matplotlib Line2D
        One a group: welfare and revenue with and without the condition.
    total_line_ : matplotlib Line2D or None
        Revenue from everybody at a welfare that all share; None where a tolerance or smoothing
        makes another sum largest.
    welfare_mark_ : matplotlib artist
        The welfare of all, or the window.
    cut_lines_, unconstrained_cut_lines_ : list of matplotlib Line2D or None
        One a group, None where it has no single cut.
    price_line_, price_point_ : matplotlib Line2D

    See Also
    --------
    welfare_optimal_policy, price_of_fairness_path : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.welfare import WelfareDisplay, expected_revenue
    >>> rng = np.random.default_rng(0)
    >>> group = rng.choice(["a", "b"], 500)
    >>> p = rng.beta(np.where(group == "a", 4, 2), 2)
    >>> display = WelfareDisplay.from_predictions(
    ...     expected_revenue(p, loss=2), np.ones(500), sensitive_features=group, y_score=p,
    ...     score_name="P(repays)",
    ... )
    >>> display.panels
    ('frontiers', 'thresholds', 'price')
    >>> bool(display.distribution.cut[1] < display.distribution.unconstrained_cut[1])
    True
    >>> display.plot().ax_.get_xlabel()
    'welfare per person of the group'
    """

    def __init__(
        self,
        *,
        policy: WelfarePolicy,
        path: PriceOfFairnessPath,
        distribution: ScoreDistribution | None = None,
        name: str | None = None,
    ) -> None:
        self.policy = policy
        self.path = path
        self.distribution = distribution
        self.name = name

    @property
    def panels(self) -> tuple[str, ...]:
        """Panels that can be drawn."""
        return tuple(
            panel for panel in PANELS if panel != "thresholds" or self.distribution is not None
        )

    @classmethod
    def from_policy(
        cls, policy: WelfarePolicy, *, path: PriceOfFairnessPath | None = None,
        name: str | None = None,
    ) -> WelfareDisplay:
        """Show a policy that is there already; without the thresholds, for it keeps no score.

        Parameters
        ----------
        policy : WelfarePolicy
            Of `welfare_optimal_policy`.
        path : PriceOfFairnessPath, optional
            Of the same rows; found from the policy's frontiers otherwise.
        name : str, optional
            Name of the model.

        Returns
        -------
        WelfareDisplay
            Call `plot` to draw it.

        Raises
        ------
        TypeError
            Not a WelfarePolicy.
        ValueError
            A path of other groups; a capacity that binds: frontiers are then net of its price.

        See Also
        --------
        from_predictions : With the thresholds.
        """
        if not isinstance(policy, WelfarePolicy):
            raise TypeError(
                f"policy must be a WelfarePolicy, got a {type(policy).__name__}. A fitted "
                "classifier goes to from_estimator, arrays go to from_predictions."
            )
        check_unpriced(
            policy, "its frontiers, and its revenue does not lie on them. Show the policy "
            "without a capacity"
        )
        if path is None:
            path = path_of_frontiers(
                list(policy.frontiers.values()), policy.share, policy.unconstrained,
                policy.groups,
            )
        elif len(path.groups) != len(policy.groups):
            raise ValueError(
                f"path has {len(path.groups)} groups and policy {len(policy.groups)}: pass the "
                "path of the rows that the policy was found on, or none."
            )
        return cls(policy=policy, path=path, name=name)

    @classmethod
    def from_predictions(
        cls,
        revenue: Any,
        utility: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        y_score: Any = None,
        score_name: str | None = None,
        n_bins: int = 50,
        name: str | None = None,
        **options: Any,
    ) -> WelfareDisplay:
        """Find the policy and show it.

        Parameters
        ----------
        revenue, utility : array-like of shape (n_samples,) or (n_samples, n_options)
            As in `welfare_optimal_policy`.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of every row.
        sample_weight : array-like of shape (n_samples,), optional
            Not negative.
        y_score : array-like of shape (n_samples,), optional
            Probabilities or a credit score, the higher the better, to draw thresholds on. By
            default revenue / utility, on which every group has one cut, its multiplier; that
            needs utilities that are not negative.
        score_name : str, optional
            For the axis.
        n_bins : int
            Of the histograms.
        name : str, optional
            Name of the model.
        **options : dict
            Of `welfare_optimal_policy`: `tolerance`, `rejected_utility`, `smoothing`, ...

        Returns
        -------
        WelfareDisplay
            Call `plot` to draw it.

        Raises
        ------
        DegenerateGroupError, InfeasibleError
            Those of `welfare_optimal_policy`.
        ValueError, TypeError
            `n_bins` is not a whole number of at least 1; `y_score` is not one finite number a
            row, or there are several options; and those of `welfare_optimal_policy`.

        See Also
        --------
        from_policy : From a policy.
        """
        check_count(n_bins, "n_bins")
        given = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        policy = welfare_optimal_policy(revenue, utility, **given, **options)
        shown = cls.from_policy(policy, name=name)
        sample = policy_sample(
            revenue, utility, rejected_utility=options.get("rejected_utility", 0.0),
            missing=options.get("missing", "raise"), **given,
        )
        shown.distribution = distribution_of_rows(sample, policy, y_score, score_name, n_bins)
        return shown

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, *, sensitive_features: Any = None,
        n_bins: int = 50, name: str | None = None,
    ) -> WelfareDisplay:
        """Show the policy of a fitted classifier.

        Parameters
        ----------
        estimator : WelfareEqualizingClassifier
            Fitted. Frontiers and price are those of the rows of its fit, out of fold.
        X : array-like or frame of shape (n_samples, n_features), optional
            Rows, best not those of the fit, to draw thresholds on the probability with.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows of `X`, when the estimator's constructor names no column.
        n_bins : int
            Of the histograms.
        name : str, optional
            By default the class of the estimator inside.

        Returns
        -------
        WelfareDisplay
            Call `plot` to draw it.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            There is no policy yet.
        ValueError
            A capacity binds: frontiers are then of revenue less its price.

        See Also
        --------
        from_predictions : From arrays.
        """
        check_count(n_bins, "n_bins")
        if not hasattr(estimator, "policy_"):
            raise NotFittedError(
                f"{type(estimator).__name__} has no policy_: pass a WelfareEqualizingClassifier "
                "that is fitted."
            )
        inner = type(getattr(estimator, "estimator", estimator)).__name__
        shown = cls.from_policy(estimator.policy_, name=inner if name is None else name)
        if X is None:
            return shown
        by_row = {} if sensitive_features is None else {"sensitive_features": sensitive_features}
        group = groups_of_rows(
            X, estimator.sensitive_features, sensitive_features, type(estimator).__name__,
            "from_estimator",
        )
        code = encode_seen_groups(group, shown.policy.groups)
        # The policy's decisions and the lender's own, of the same rows.
        decided = estimator._decided(X, sensitive_features, "from_estimator")
        wanted = estimator.pos_label
        positive = 1 if wanted is None else int(estimator.classes_[1] == wanted)
        shown.distribution = score_distribution(
            estimator.predict_proba(X, **by_row)[:, positive], decided.accepted, decided.free,
            code, np.ones(code.size), len(shown.policy.groups),
            score_name="probability of a good case", n_bins=n_bins, trim=False,
        )
        return shown

    def plot(
        self,
        axes: Any = None,
        *,
        panels: Any = None,
        name: str | None = None,
        n_corners: int = 2000,
        relative: bool = True,
        despine: bool = True,
    ) -> WelfareDisplay:
        """Draw the panels.

        Parameters
        ----------
        axes : matplotlib Axes or array-like of them, optional
            As many as there are panels; by default a new figure.
        panels : str or sequence of str, optional
            Of "frontiers", "thresholds" and "price"; by default all that can be drawn.
        name : str, optional
            Name of the model, instead of the stored one.
        n_corners : int
            Most corners of a line; of longer paths those at even distances are drawn.
        relative : bool
            Give the price as a part of the revenue without the condition, where that is above 0.
        despine : bool
            Take the top and right spines away.

        Returns
        -------
        WelfareDisplay
            This display.
        """
        import matplotlib.pyplot as plt

        panels = self.panels if panels is None else panels
        panels = (panels,) if isinstance(panels, str) else tuple(panels)
        check_count(n_corners, "n_corners", minimum=2)
        self._check_panels(panels)
        own_figure = axes is None
        if own_figure:
            _, axes = plt.subplots(
                ncols=len(panels), figsize=(5.2 * len(panels), 4.4), layout="constrained",
                squeeze=False,
            )
        self.axes_ = np.ravel(np.array(axes, dtype=object))
        if self.axes_.size != len(panels):
            raise ValueError(
                f"axes holds {self.axes_.size} Axes for the {len(panels)} panels "
                f"{', '.join(panels)}: pass one Axes a panel, or name fewer panels."
            )
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        for panel, ax in zip(panels, self.axes_):
            if panel == "frontiers":
                drawn = draw_frontiers(ax, self.policy, n_corners, SAME)
                self.frontier_lines_, self.total_line_ = drawn.lines, drawn.total
                self.chosen_points_, self.unconstrained_points_ = drawn.chosen, drawn.unconstrained
                self.welfare_mark_ = drawn.mark
            elif panel == "thresholds":
                self.cut_lines_, self.unconstrained_cut_lines_ = draw_thresholds(
                    ax, self.distribution, self.policy.groups
                )
            else:
                self.price_line_, self.price_point_ = draw_price(
                    ax, self.path, self.policy, n_corners, relative
                )
            if despine:
                ax.spines[["top", "right"]].set_visible(False)
        name = self.name if name is None else name
        if own_figure and name:
            self.figure_.suptitle(name, fontsize="medium")
        return self

    def _check_panels(self, panels: tuple) -> None:
        if not panels:
            raise ValueError(f"panels is empty: name at least one of {', '.join(PANELS)}.")
        for panel in panels:
            check_choice(panel, PANELS, "panels")
        if "thresholds" in panels and self.distribution is None:
            raise ValueError(
                "There is no score to draw 'thresholds' on: use from_predictions, with y_score "
                "where a utility is negative or there are several options, or from_estimator "
                "with X."
            )
