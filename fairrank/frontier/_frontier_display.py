"""The frontier, the risks that are attainable, and where given algorithms stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairrank._validation import check_count
from fairrank.frontier import _frontier_picture as picture
from fairrank.frontier._arcs import as_coordinates
from fairrank.frontier._frontier_display_inputs import (
    as_mapping,
    check_same_groups,
    checked_sets,
    error_bars,
    feasible_and_frontiers,
    given_risks,
    named_directions,
    points_named,
    risks_of_decisions,
    rows_with_groups,
)
from fairrank.frontier._support_function import SupportFunction


class FrontierDisplay:
    """How far algorithms are from the best attainable pairs of group risks, in one picture.

    The horizontal axis is the risk of group r, the vertical one that of group b. Make one with
    `from_estimator` or `from_support_function`.

    Parameters
    ----------
    group_names : tuple
        Groups r and b.
    feasible_set : ndarray of shape (n_corners, 2)
        Corners of a convex set of attainable risks, counterclockwise.
    frontier, pareto_frontier : ndarray of shape (n_corners, 2)
        Polylines.
    best_points : ndarray of shape (2, 2)
        R and B, the risks where that of r, or of b, is least.
    fairest_point : ndarray of shape (2,)
        F, where the risks are nearest to each other.
    points : mapping of str to ndarray of shape (2,), optional
        Risks of algorithms.
    standard_errors : mapping of str to ndarray of shape (2,), optional
        Of some or all of them; NaN where there is none.
    directions, support_points : ndarray of shape (m, 2), optional
        Directions of supporting lines, and where each touches.
    direction_names : sequence of str, optional
        For the legend; a name may be empty.
    confidence_sets : mapping of str to object, optional
        Each with `candidates`, risks of shape (m, 2), and `inside`, bool of shape (m,).
    less_discriminatory : ndarray of shape (n_corners, 2), optional
        The part of the frontier that improves on an algorithm.
    name : str, optional
        Name of the frontier, put before what the legend says.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    feasible_set_patch_ : matplotlib Polygon or None
    frontier_line_, pareto_frontier_line_ : matplotlib Line2D
    equal_risks_line_ : matplotlib AxLine
        One for all displays on the same axes.
    best_point_marks_ : list of matplotlib Line2D
        R, B and F.
    best_point_names_ : list of matplotlib Annotation
        Empty from the third display on the same axes on.
    point_marks_ : dict of str to matplotlib Line2D
    error_bars_ : dict of str to matplotlib ErrorbarContainer
    supporting_lines_, direction_arrows_ : list of matplotlib artists
    confidence_set_artists_ : dict of str to matplotlib Collection
    improvement_patches_ : dict of str to matplotlib Polygon
    less_discriminatory_line_ : matplotlib Line2D or None
    legend_ : matplotlib Legend or None

    See Also
    --------
    SupportFunction : The numbers.

    Notes
    -----
    By default the feasible set and both frontiers are those of the plug-in zonogon, which is
    always convex and never empty; the half-planes of realised losses (``levels="realised"``) have
    no point in common in tiny samples, and the realised support points are not the corners of a
    convex set. R, B, F, given algorithms and supporting lines are at the level of realised losses
    whichever is drawn. Where the nuisances are good all agree but for noise. Nuisances that are
    too sure of themselves make the zonogon too large, shrunken ones too small; the realised
    half-planes lean inwards. Where both are far apart, mistrust the nuisances.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import FrontierDisplay, SupportFunction
    >>> data = make_frontier_data(2000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> display = FrontierDisplay.from_support_function(
    ...     support, algorithms={"status quo": data.status_quo(data.data)},
    ... )
    >>> print(display.points["status quo"].round(2), display.fairest_point.round(2))
    [0.41 0.54] [0.41 0.41]
    >>> display.plot(zoom=True, improvements_over="status quo").ax_.get_xlabel()
    'risk of r'
    """

    def __init__(
        self,
        *,
        group_names: tuple,
        feasible_set: np.ndarray,
        frontier: np.ndarray,
        pareto_frontier: np.ndarray,
        best_points: np.ndarray,
        fairest_point: np.ndarray,
        points: Mapping[str, np.ndarray] | None = None,
        standard_errors: Mapping[str, np.ndarray] | None = None,
        directions: np.ndarray | None = None,
        support_points: np.ndarray | None = None,
        direction_names: Any = None,
        confidence_sets: Mapping[str, Any] | None = None,
        less_discriminatory: np.ndarray | None = None,
        name: str | None = None,
    ) -> None:
        self.group_names = group_names
        self.feasible_set = feasible_set
        self.frontier = frontier
        self.pareto_frontier = pareto_frontier
        self.best_points = best_points
        self.fairest_point = fairest_point
        self.points = points
        self.standard_errors = standard_errors
        self.directions = directions
        self.support_points = support_points
        self.direction_names = direction_names
        self.confidence_sets = confidence_sets
        self.less_discriminatory = less_discriminatory
        self.name = name

    @classmethod
    def from_support_function(
        cls,
        support: SupportFunction,
        *,
        levels: str = "plug_in",
        algorithms: Any = None,
        points: Any = None,
        standard_errors: Any = None,
        directions: Any = None,
        confidence_sets: Any = None,
        less_discriminatory: Any = None,
        name: str | None = None,
    ) -> FrontierDisplay:
        """Compute what is to be drawn.

        Parameters
        ----------
        support : SupportFunction
            Of two groups.
        levels : {"plug_in", "realised"}
            Where the feasible set and the frontiers come from. "plug_in": the zonogon of
            `support.plug_in`, always convex and never empty. "realised": the half-planes of
            realised losses, `support.feasible_set`, and the frontiers of that polygon.
        algorithms : mapping of str to array-like of shape (n_samples,), optional
            Probability of decision 1 at each row of `support`. Risks and standard errors are
            computed; they are too good where the algorithm was made from these rows.
        points : mapping of str to array-like of shape (2,) or object, optional
            Risks of r and b that are known already, such as on other rows; or an object with
            `risks` and `standard_errors`, such as `DecisionRisks`.
        standard_errors : mapping of str to array-like of shape (2,), optional
            Those of some of `points`.
        directions : mapping of str to array-like of shape (2,), or array-like, optional
            Directions of supporting lines, (2,) or (m, 2); a mapping names them.
        confidence_sets : mapping of str to object, optional
            Each with `candidates`, risks of shape (m, 2), and `inside`, bool of shape (m,).
        less_discriminatory : array-like of shape (n_corners, 2) or object, optional
            The part of the frontier that improves on an algorithm, or an object whose `frontier`
            it is, such as `LessDiscriminatoryAlternatives`; may be empty.
        name : str, optional
            Name of the frontier.

        Returns
        -------
        FrontierDisplay
            Call `plot` to draw it.

        Raises
        ------
        TypeError
            Not a `SupportFunction`, or not a mapping where one is asked for.
        ValueError
            More than two groups; realised half-planes without a common point; decisions outside
            [0, 1] or of another length; a name twice; numbers of another shape or not finite.

        See Also
        --------
        from_estimator : From a fitted estimator.

        Notes
        -----
        O(n) once the support function is swept, and O(n) an algorithm.
        """
        if not isinstance(support, SupportFunction):
            raise TypeError(
                f"support must be a SupportFunction, got a {type(support).__name__}. A fitted "
                "estimator goes to from_estimator."
            )
        if support.n_groups != 2:
            raise ValueError(
                "FrontierDisplay is for two groups, whose risks are a point in the plane; "
                f"sensitive_features holds {support.n_groups}: "
                f"{', '.join(map(repr, support.group_names))}. Merge them, or compare two at a "
                "time."
            )
        risks, errors = risks_of_decisions(support, as_mapping(algorithms, "algorithms"))
        given, given_errors = given_risks(
            as_mapping(points, "points"), as_mapping(standard_errors, "standard_errors"),
            support.group_names,
        )
        twice = [label for label in given if label in risks]
        if twice:
            raise ValueError(
                f"{twice[0]!r} is named in algorithms and in points: give each algorithm once."
            )
        q, direction_names = named_directions(directions)
        part = getattr(less_discriminatory, "frontier", less_discriminatory)
        feasible, found = feasible_and_frontiers(support, levels)
        return cls(
            group_names=support.group_names,
            feasible_set=feasible,
            frontier=found.frontier,
            pareto_frontier=found.pareto,
            best_points=support.best_points.copy(),
            fairest_point=support.fairest_point().point,
            points={**risks, **given},
            standard_errors={**errors, **given_errors},
            directions=q,
            support_points=support.support_point(q) if len(q) else np.zeros((0, 2)),
            direction_names=direction_names,
            confidence_sets=checked_sets(as_mapping(confidence_sets, "confidence_sets")),
            less_discriminatory=None if part is None else np.atleast_2d(
                as_coordinates(part, "less_discriminatory", 2)
            ).copy(),
            name=name,
        )

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, algorithms: Any = None, own_name: str | None = "this algorithm",
        **options: Any,
    ) -> FrontierDisplay:
        """Show the frontier that an estimator found, and its own algorithm.

        Parameters
        ----------
        estimator : FrontierEstimator
            Fitted; or a pipeline that ends with one, or a search that fitted one.
        algorithms : mapping of str to array-like of shape (n_samples,), optional
            Probability of decision 1 at each row of the fit, also at those that were dropped.
        own_name : str, optional
            Name of the estimator's own algorithm, whose risks are out of fold; None leaves it
            out.
        **options : dict
            As in `from_support_function`: `levels`, `points`, `standard_errors`, `directions`,
            `confidence_sets`, `less_discriminatory`, `name`.

        Returns
        -------
        FrontierDisplay
            Call `plot` to draw it.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            There is no `support_function_` yet.
        TypeError, ValueError
            As `from_support_function`.

        See Also
        --------
        from_support_function : From a support function.
        """
        estimator = getattr(estimator, "best_estimator_", estimator)
        if hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        check_is_fitted(
            estimator, "support_function_",
            msg="%(name)s has no support_function_: pass a FrontierEstimator that is fitted.",
        )
        support = estimator.support_function_
        decisions = dict(as_mapping(algorithms, "algorithms"))
        if own_name is not None and support.n_groups == 2:
            if own_name in decisions:
                raise ValueError(
                    f"{own_name!r} is named in algorithms and is own_name: pass another own_name, "
                    "or None."
                )
            decisions = {own_name: estimator.out_of_fold_decisions_, **decisions}
        if decisions and support.n_groups == 2:
            decisions = rows_with_groups(decisions, estimator.out_of_fold_decisions_)
        return cls.from_support_function(support, algorithms=decisions, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        zoom: bool = False,
        color: str | None = None,
        improvements_over: Any = None,
        confidence_level: float | None = 0.95,
        n_corners: int = 2000,
        plot_feasible_set: bool = True,
        feasible_set_kwargs: dict | None = None,
        frontier_kwargs: dict | None = None,
        points_kwargs: dict | None = None,
        plot_legend: bool = True,
        legend_kwargs: dict | None = None,
        despine: bool = True,
    ) -> FrontierDisplay:
        """Draw the picture, on axes that may hold other frontiers of the same groups.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default one of a new figure. Nothing that it shows already leaves its limits.
        name : str, optional
            Name of the frontier, instead of the stored one.
        zoom : bool
            Show the frontiers and the algorithms, not all attainable risks.
        color : str, optional
            Any colour of matplotlib; by default another one for each frontier on the axes.
        improvements_over : str or sequence of str, optional
            Names of algorithms: shade the risks that are as accurate for both groups and as fair.
        confidence_level : float, optional
            Of the error bars, each for one coordinate, where there are standard errors; None
            leaves them out.
        n_corners : int
            Most corners of a line; of longer paths those at even distances are drawn.
        plot_feasible_set : bool
            Fill the feasible set.
        feasible_set_kwargs, frontier_kwargs, points_kwargs : dict, optional
            Passed to matplotlib's `fill` for the feasible set, and to `plot` for the frontier and
            for the algorithms.
        plot_legend : bool
            Draw the legend: beside the axes where the figure has a layout engine, else inside.
        legend_kwargs : dict, optional
            Passed to matplotlib's `legend`.
        despine : bool
            Take the top and right spines away.

        Returns
        -------
        FrontierDisplay
            This display.

        Raises
        ------
        ValueError
            `improvements_over` names no algorithm that is drawn, or `ax` holds a frontier of
            other groups.
        """
        import matplotlib.pyplot as plt

        check_count(n_corners, "n_corners", minimum=2)
        improved = points_named(self.points or {}, improvements_over)
        bars = error_bars(self.standard_errors or {}, confidence_level)
        if ax is None:
            _, ax = plt.subplots(figsize=(8.0, 4.8), layout="constrained")
            ax.set_anchor("W")  # room for the legend is on the other side
        earlier = picture.frontiers_on(ax)
        for groups in earlier:
            check_same_groups(groups, self.group_names)
        present = np.array([ax.get_xlim(), ax.get_ylim()]) if ax.has_data() else None
        limits = picture.square_limits(
            self._in_sight(bars, zoom), 0.1, present
        )
        nth = len(earlier)
        color = picture.COLORS[nth % len(picture.COLORS)] if color is None else color
        name = self.name if name is None else name
        prefix = f"{name}: " if name else ""

        self.feasible_set_patch_ = None
        if plot_feasible_set:
            look = {"facecolor": color, "edgecolor": color, "alpha": 0.13, "linewidth": 1.0,
                    "zorder": 1.0, "label": prefix + "attainable risks",
                    **(feasible_set_kwargs or {})}
            corners = picture.few_corners(self.feasible_set, n_corners)
            (self.feasible_set_patch_,) = ax.fill(*corners.T, **look)
        self.confidence_set_artists_ = {
            label: picture.draw_confidence_set(
                ax, found, prefix + label,
                picture.SET_COLORS[(nth + k) % len(picture.SET_COLORS)],
            )
            for k, (label, found) in enumerate((self.confidence_sets or {}).items())
        }
        self.equal_risks_line_ = picture.draw_equal_risks(ax)
        self.less_discriminatory_line_ = None
        if self.less_discriminatory is not None and len(self.less_discriminatory):
            (self.less_discriminatory_line_,) = ax.plot(
                *picture.few_corners(self.less_discriminatory, n_corners).T, linewidth=8,
                color=picture.AMBER, alpha=0.6, solid_capstyle="round", zorder=2.8,
                label=prefix + "less discriminatory",
            )
        look = {"color": color, "linewidth": 2.6, "zorder": 3,
                "label": prefix + "fairness-accuracy frontier", **(frontier_kwargs or {})}
        (self.frontier_line_,) = ax.plot(*picture.few_corners(self.frontier, n_corners).T, **look)
        self.frontier_line_.fairrank_groups = tuple(self.group_names)
        # The Pareto frontier is a part of the other one, so it is drawn inside its line.
        (self.pareto_frontier_line_,) = ax.plot(
            *picture.few_corners(self.pareto_frontier, n_corners).T, color="black",
            linewidth=0.9, linestyle=(0, (4, 3)), zorder=3.1, label="Pareto frontier",
        )
        self.supporting_lines_: list = []
        self.direction_arrows_: list = []
        if self.directions is not None and self.support_points is not None:
            names = self.direction_names or [""] * len(self.directions)
            self.supporting_lines_, self.direction_arrows_ = picture.draw_supporting_lines(
                ax, self.directions, self.support_points, names, prefix, color
            )
        self.best_point_marks_, self.best_point_names_ = picture.draw_best_points(
            ax, self.best_points, self.fairest_point, self.group_names, color, nth
        )
        self.point_marks_, self.error_bars_ = picture.draw_points(
            ax, self.points or {}, bars, prefix, color, points_kwargs or {}
        )
        reach = 10.0 * float(limits[0, 1] - limits[0, 0])
        self.improvement_patches_ = {}
        for algorithm, e in improved.items():
            (self.improvement_patches_[algorithm],) = ax.fill(
                *picture.improvements(e, reach).T, facecolor=(0.4, 0.4, 0.4, 0.12), hatch="\\\\\\",
                edgecolor=(0.4, 0.4, 0.4, 0.6), linewidth=0.8, zorder=1.2,
                label=prefix + f"better than {algorithm}",
            )
        ax.set(xlim=limits[0], ylim=limits[1])
        ax.set_aspect("equal", adjustable="box")
        for label, axis, group in zip("xy", (ax.xaxis, ax.yaxis), self.group_names):
            if not axis.get_label_text():
                ax.set(**{f"{label}label": f"risk of {group}"})
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
        self.legend_ = picture.draw_legend(ax, legend_kwargs or {}) if plot_legend else None
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _in_sight(self, bars: Mapping[str, np.ndarray], zoom: bool) -> np.ndarray:
        """All risks that the limits must hold, shape (n, 2)."""
        shown = [self.frontier, self.pareto_frontier, self.best_points, self.fairest_point]
        for name, point in (self.points or {}).items():
            shown += [point - bars.get(name, 0.0), point + bars.get(name, 0.0)]
        if self.less_discriminatory is not None:
            shown.append(self.less_discriminatory)
        if not zoom:
            shown.append(self.feasible_set)
            shown += [] if self.support_points is None else [self.support_points]
            shown += [
                np.asarray(found.candidates)[np.asarray(found.inside, dtype=bool)]
                for found in (self.confidence_sets or {}).values()
            ]
        return np.concatenate([np.atleast_2d(part) for part in shown])
