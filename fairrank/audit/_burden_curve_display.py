"""Who carries the burden where: completed paths, centred paths with their band, and deciles."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._sensitive import groups_of
from fairrank.audit._display_inputs import positive_probability
from fairrank.audit._panels import asked_panels, axes_of_panels
from fairrank.audit._style import BLUE, GREY, VERMILLION, without_box
from fairrank.inference._burden_curve import BurdenCurve, burden_curve

# Okabe and Ito's palette without its yellow, which is too pale for a line.
PALETTE = (BLUE, VERMILLION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINE_STYLES = ("-", "--", "-.", ":")
PANELS = ("curves", "difference", "deciles")


class BurdenCurveDisplay:
    """Three panels: groups' burden curves, where they part beyond chance, and who carries what.

    "curves" shows every group's completed path, with a dashed line where it would lie if labels
    were exchanged. "difference" shows the centred paths and the band that they would stay inside
    then, thick where they leave it. "deciles" shows one group's part of the burden in every
    tenth of the ranking, split by outcome. Create it with `from_estimator` or
    `from_predictions`.

    Parameters
    ----------
    curve : BurdenCurve
        What `fairrank.inference.burden_curve` returns.
    name : str, optional
        Name of the model, in the title.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        One a panel, in the order asked for.
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
    lines_ : dict of group to matplotlib Line2D
        Completed paths.
    lorenz_line_ : matplotlib Line2D
        Lorenz curve of all burdens.
    difference_lines_ : dict of group to matplotlib Line2D
        Centred paths; of two groups only one, the other being its mirror image.
    bands_ : dict of group to matplotlib PolyCollection
        Simultaneous bands.
    bars_ : list of matplotlib BarContainer
        Parts of the deciles' burden, by outcome where it is known.

    See Also
    --------
    RGFCurveDisplay : RGF among the largest burdens.
    fairrank.inference.burden_curve : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.audit import BurdenCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> group, p = np.repeat(["a", "b"], [1500, 500]), rng.random(2000)
    >>> y = (rng.random(2000) < p).astype(int)
    >>> display = BurdenCurveDisplay.from_predictions(
    ...     y, p, sensitive_features=group, n_permutations=200, random_state=0
    ... )
    >>> display.plot().axes_.shape
    (3,)
    """

    def __init__(self, *, curve: BurdenCurve, name: str | None = None) -> None:
        self.curve = curve
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sensitive_features: Any, pos_label: Any = None,
        name: str | None = None, **options: Any,
    ) -> BurdenCurveDisplay:
        """Compute the curves of a fitted classifier.

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
        BurdenCurveDisplay
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
        cls, y_true: Any, y_score: Any, *, sensitive_features: Any, name: str | None = None,
        **options: Any,
    ) -> BurdenCurveDisplay:
        """Compute the curves of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), or None
            Two labels; None when ``burden=`` is an array.
        y_score : array-like of shape (n_samples,), or None
            Probability of the positive label, in [0, 1].
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of every row.
        name : str, optional
            Name of the model.
        **options : dict
            As in `fairrank.inference.burden_curve`: `burden`, `strata`, `n_bins`,
            `n_permutations`, `confidence_level`, `sample_weight`, `pos_label`, `missing`,
            `tie_tolerance`, `n_jobs`, `random_state`.

        Returns
        -------
        BurdenCurveDisplay
            Call `plot` to draw it.

        See Also
        --------
        from_estimator : From a fitted classifier.
        """
        curve = burden_curve(y_true, y_score, sensitive_features=sensitive_features, **options)
        return cls(curve=curve, name=name)

    def plot(
        self,
        axes: Any = None,
        *,
        panels: Any = PANELS,
        group: Any = None,
        name: str | None = None,
        curve_kwargs: dict | None = None,
        null_kwargs: dict | None = None,
        band_kwargs: dict | None = None,
        despine: bool = True,
    ) -> BurdenCurveDisplay:
        """Draw the panels.

        Parameters
        ----------
        axes : matplotlib Axes or array-like of them, optional
            As many as there are panels; by default a new figure.
        panels : str or sequence of str
            Of "curves", "difference" and "deciles".
        group : label, optional
            Whose deciles are drawn, and of two groups whose centred path. By default the group,
            other than the largest, that carries most compared with what it would under exchange.
        name : str, optional
            Name of the model, instead of the stored one.
        curve_kwargs, null_kwargs, band_kwargs : dict, optional
            Passed to matplotlib for the groups' lines, for the dashed lines of no difference,
            and for the band's area.
        despine : bool
            Take the top and right spines away.

        Returns
        -------
        BurdenCurveDisplay
            This display.
        """
        panels = asked_panels(panels, PANELS)
        code = self._code_of(group)
        own_figure = axes is None
        self.axes_ = axes_of_panels(axes, panels, 4.9, 4.6)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        styles = (curve_kwargs or {}, null_kwargs or {}, band_kwargs or {})
        for panel, ax in zip(panels, self.axes_):
            {
                "curves": self._draw_curves,
                "difference": self._draw_difference,
                "deciles": self._draw_deciles,
            }[panel](ax, code, *styles)
            without_box(ax, despine)
        name = self.name if name is None else name
        if own_figure and name:
            self.figure_.suptitle(name, fontweight="bold")
        return self

    def _code_of(self, group: Any) -> int:
        curve = self.curve
        if group is None:
            ratio = np.divide(
                curve.burden_share, curve.expected_share, out=np.zeros(len(curve.groups)),
                where=curve.expected_share > 0.0,
            )
            ratio[np.argmax(curve.group_share)] = -1.0
            return int(np.argmax(ratio))
        if group not in curve.groups:
            raise ValueError(f"group={group!r} is not among the groups {list(curve.groups)}.")
        return curve.groups.index(group)

    def _style_of(self, code: int) -> dict[str, Any]:
        style = LINE_STYLES[code // len(PALETTE) % len(LINE_STYLES)]
        return {"color": PALETTE[code % len(PALETTE)], "linestyle": style}

    def _draw_curves(self, ax: Any, code: int, line: dict, null: dict, band: dict) -> None:
        curve = self.curve
        (self.lorenz_line_,) = ax.plot(
            curve.rank, curve.lorenz, color="0.75", linewidth=4, zorder=1,
            label="all rows (Lorenz curve)",
        )
        self.lines_ = {}
        for g, group in enumerate(curve.groups):
            label = f"{group} ({_percent(curve.group_share[g])} of rows)"
            look = {**self._style_of(g), "linewidth": 1.8, "label": label, **line}
            (self.lines_[group],) = ax.plot(curve.rank, curve.completed_path[g], **look)
            (expected,) = ax.plot(
                curve.rank,
                curve.expected_completed_path[g],
                **{"color": look["color"], "linestyle": (0, (4, 3)), "linewidth": 1.0, **null},
            )
        ax.plot(
            [], [], color=GREY, linestyle=expected.get_linestyle(), linewidth=1.0,
            label="if labels were exchanged",
        )
        ax.set(
            xlim=(0, 1), ylim=(0, 1.01), xlabel="Rank by burden (1 = largest)",
            ylabel="Cumulated burden, completed to 1", title="Burden curves",
        )
        ax.legend(loc="upper left", frameon=False, fontsize="small")

    def _draw_difference(self, ax: Any, code: int, line: dict, null: dict, band: dict) -> None:
        curve = self.curve
        two = len(curve.groups) == 2
        codes = [code] if two else range(len(curve.groups))
        self.difference_lines_, self.bands_ = {}, {}
        level = f"{100.0 * curve.confidence_level:.4g} %"
        ax.axhline(0.0, **{"color": GREY, "linestyle": "--", "linewidth": 1.0, **null})
        for g in codes:
            group, outside = curve.groups[g], curve.outside[g]
            look = {**self._style_of(g), "linewidth": 1.0, "label": str(group), **line}
            (self.difference_lines_[group],) = ax.plot(
                curve.rank, 100.0 * curve.centered_path[g], **look
            )
            if outside.any():
                beyond = np.where(outside, 100.0 * curve.centered_path[g], np.nan)
                # The marker shows where a single grid point lies outside.
                ax.plot(
                    curve.rank, beyond, "o-", color=look["color"], linewidth=3.2, markersize=3.2,
                    markeredgewidth=0,
                )
            self.bands_[group] = ax.fill_between(
                curve.rank,
                100.0 * curve.low[g],
                100.0 * curve.high[g],
                **{"facecolor": (look["color"], 0.16 if two else 0.06),
                   "edgecolor": (look["color"], 0.7), "linestyle": ":", **band},
            )
        ax.fill_between(
            [], [], [], facecolor="0.9", edgecolor=GREY, linestyle=":",
            label=f"{level} band of exchanged labels",
        )
        ax.set(
            xlim=(0, 1), xlabel="Rank by burden (1 = largest)",
            ylabel="Centred path, % of all burden",
            title=f"Where burdens part (p = {curve.pvalue:.2g})",
        )
        _legend_above_data(ax, title="path falls: group carries less there; rises: more")

    def _draw_deciles(self, ax: Any, code: int, line: dict, null: dict, band: dict) -> None:
        curve = self.curve
        group, place = curve.groups[code], np.arange(1, curve.decile_burden.shape[1] + 1)
        total = curve.decile_burden.sum(axis=0)
        color = line.get("color", self._style_of(code)["color"])
        parts = [(curve.decile_burden, "its burden", color)]
        if curve.false_negative_burden is not None and curve.false_positive_burden is not None:
            parts = [
                (curve.false_negative_burden, "outcome 1, scored too low", color),
                (curve.false_positive_burden, "outcome 0, scored too high", _tint(color)),
            ]
        self.bars_, foot = [], np.zeros(place.size)
        for burden, label, face in parts:
            height = 100.0 * _ratio(burden[code], total)
            self.bars_.append(ax.bar(place, height, 0.8, bottom=foot, color=face, label=label))
            foot = foot + np.nan_to_num(height)
        expected = 100.0 * _ratio(curve.decile_expected[code], total)
        none = "if labels were exchanged"
        if curve.strata == "none":
            none = f"its part of all rows, {_percent(curve.group_share[code])}"
        ax.stairs(
            expected,
            np.arange(0.5, place.size + 1),
            baseline=None,
            **{"color": "black", "linestyle": "--", "linewidth": 1.2, "label": none, **null},
        )
        names = [f"{j}\n{_percent(part)}" for j, part in zip(place, total)]
        ax.set_xticks(place, names, fontsize="small")
        ax.set(
            ylabel=f"{group}: % of the decile's burden",
            xlabel="Decile of the burden ranking, and its part of all burden",
            title=f"Who carries it: {group}",
        )
        _legend_above_data(ax, reverse=True)


def _legend_above_data(ax: Any, **options: Any) -> None:
    """A legend inside the Axes with the data moved out of its way."""
    n_lines = len(ax.get_legend_handles_labels()[0]) + ("title" in options)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.07 * (n_lines + 1) * (high - low))
    ax.legend(
        loc="upper left", frameon=False, fontsize="small", title_fontsize="small",
        alignment="left", **options,
    )


def _percent(part: float) -> str:
    return f"{100.0 * part:.2g} %" if part < 0.1 else f"{100.0 * part:.0f} %"


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(whole.size, np.nan), where=whole > 0.0)


def _tint(color: Any) -> tuple:
    from matplotlib.colors import to_rgb

    return tuple(0.45 * part + 0.55 for part in to_rgb(color))
