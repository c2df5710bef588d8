"""PostLogitPostProcessor: the baseline of Kallus and Zhou behind an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._sensitive import encode_seen_groups
from fairrank.inference._scored_rows import ScoredRows
from fairrank.ranking._post_logit import PostLogit, post_logit
from fairrank.ranking._score_post_processor import ScorePostProcessor


class PostLogitPostProcessor(ScorePostProcessor):
    """Send each group's probabilities through the logistic curve nearest a reference group's.

    A baseline to compare with: one number a group, chosen for the smallest disparity.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``: scores must lie in [0, 1]. Cloned and refitted; a FrozenEstimator
        is asked as it is.
    sensitive_features : str, int, list of these, callable or None, default=None
        The group's column of X, as in `XOrderPostProcessor`.
    drop_sensitive : bool, default=False
        Take the named columns out of what the estimator sees.
    disparity : {"xauc", "prf", "urf"}, default="xauc"
        As in `fairrank.metrics.ranking_disparity`.
    reference : group, default=None
        Whose scores stay; the group with the largest weight by default.
    cv : int, splitter, iterable or None, default=5
        Folds that the scores come from; None takes those of the training rows, as the paper does.
    fold_ensemble : bool, default=False
        Average the adjusted scores of the folds' models instead of refitting on all rows.
    response_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What the score is.
    pos_label : label, default=None
        The outcome that a higher score speaks for; the greater label by default.
    missing : {"raise", "group", "drop"}, default="raise"
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    n_jobs : int, default=None
        Folds fitted in parallel (joblib).
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on all rows; absent with `fold_ensemble`.
    estimators_ : list of estimator
        Those whose adjusted scores are averaged.
    ordering_ : PostLogit
        What was chosen on the rows of the fit.
    slopes_ : dict of group to float
        All groups but the reference.
    groups_ : tuple
        The groups that have a map.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.
    out_of_fold_scores_ : ndarray of shape (n_samples,)
        The scores that slopes were chosen on; NaN where no fold held a row out.
    auc_before_, auc_after_, disparity_before_, disparity_after_ : float
        Of those scores, as they came and adjusted.
    held_out_auc_, held_out_disparity_ : float
        Means over the folds, each by a model and slopes that were fitted without it, though the
        models that scored the other folds for the slopes were trained with it; NaN without folds.
    held_out_standard_error_ : float
        Of `held_out_disparity_` for given slopes.
    held_out_folds_ : dict of str to ndarray of shape (n_folds,)
        A line a fold, as in `XOrderPostProcessor`.

    Raises
    ------
    DegenerateGroupError
        One group only, or a group that lacks the class which the disparity needs.
    UnseenGroupError
        To predict: a group that was not there at fit.
    ValueError, TypeError
        Bad input, scores outside [0, 1] among them.

    See Also
    --------
    XOrderPostProcessor : Mostly keeps more AUC at a like disparity, and takes any score.
    post_logit : The same for one scored sample.

    Notes
    -----
    Costs ``cv + 1`` fits, and O(n log n + 100 n) for each of them.

    The slope with the smallest disparity is so on the rows of the fit; new rows add sampling
    noise, of which `held_out_standard_error_` tells the size.

    References
    ----------
    Kallus, Zhou (2019): "The fairness of risk scores beyond classification: bipartite ranking and
    the xAUC metric".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.ranking import PostLogitPostProcessor
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=2000), rng.random(2000) < 0.4])
    >>> y = (X[:, 0] + X[:, 1] + rng.normal(size=2000) > 0.5).astype(int)
    >>> model = PostLogitPostProcessor(LogisticRegression(), sensitive_features=1, random_state=0)
    >>> model.fit(X, y).ordering_
    PostLogit(xauc 0.2445 -> 0.0052, AUC 0.8675 -> 0.8372, slopes {1.0: 2.4})
    """

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive_features: Any = None,
        drop_sensitive: bool = False,
        disparity: str = "xauc",
        reference: Any = None,
        cv: Any = 5,
        fold_ensemble: bool = False,
        response_method: str = "auto",
        pos_label: Any = None,
        missing: str = "raise",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.drop_sensitive = drop_sensitive
        self.disparity = disparity
        self.reference = reference
        self.cv = cv
        self.fold_ensemble = fold_ensemble
        self.response_method = response_method
        self.pos_label = pos_label
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _ordering(self, rows: ScoredRows, sensitive_features: np.ndarray, *,
                  lenient: bool = False) -> PostLogit:
        reference = self.reference
        if lenient and reference is not None:
            # Without a fold, groups go by their codes.
            reference = int(encode_seen_groups([reference], rows.labels, name="reference")[0])
        return post_logit(
            rows.outcome,
            rows.score,
            sensitive_features=sensitive_features,
            disparity=self.disparity,
            reference=reference,
            sample_weight=rows.weight,
            missing="group",
        )

    def _report(self, rows: ScoredRows, ordering: PostLogit) -> None:
        super()._report(rows, ordering)
        self.slopes_ = ordering.slopes
