"""WelfareEqualizingOffer: one of several products for each person, or none."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from fairrank.welfare._offer_policy import offer_policy
from fairrank.welfare._policy_estimator import PolicyEstimator
from fairrank.welfare._product_menu import ProductSources, product_sources


class WelfareEqualizingOffer(PolicyEstimator):
    """Offer each person the product that brings most, such that every group has the same welfare.

    A lender has a small and a large loan, say, each with its own gain, loss, amount and utility.
    The estimator gives P(good case) out of fold, `welfare_optimal_policy` with several options
    finds the multiplier of every group, and each person is offered the product of largest revenue
    less that multiple of utility, or none.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        As in `WelfareEqualizingClassifier`. It gives one probability a person: whether a case
        turns out well is taken not to depend on the product.
    products : dict of name to dict
        At least two. Each has "gain" and "loss" (default 1.0), "amount" for
        "heterogeneous_opportunity", and "utility" where `utility` is None: in the forms that
        `WelfareEqualizingClassifier` takes.
    sensitive_features : str, int, list of these, callable or None, default=None
        As in `WelfareEqualizingClassifier`.
    drop_sensitive : bool, default=False
        As in `WelfareEqualizingClassifier`.
    utility : str or None, default="demographic_parity"
        "demographic_parity": 1 for any product; "equal_opportunity": 1 for any product to a good
        case, in parts of the good cases; "heterogeneous_opportunity": the amount, in parts of the
        largest amounts that the good cases can be offered. None: each product's own.
    drop_terms : bool, default=False
        Take the columns that the products name out of what the estimator sees.
    tolerance : float, default=0.0
        Largest difference between the groups' welfare.
    method : {"sweep", "linprog", "search"}, default="sweep"
        As in `welfare_optimal_policy`.
    recalibrate : {None, "logistic", "isotonic"}, default=None
        As in `WelfareEqualizingClassifier`.
    cv : int, splitter, iterable or None, default=5
        As in `WelfareEqualizingClassifier`.
    nested : bool, default=False
        As in `WelfareEqualizingClassifier`.
    pos_label : label, default=None
        The good case; the greater label by default, with a warning as in
        `WelfareEqualizingClassifier`.
    missing : {"raise", "group", "drop"}, default="raise"
        As in `WelfareEqualizingClassifier`.
    n_jobs : int, default=None
        Folds fitted in parallel (joblib). No number depends on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Attributes
    ----------
    products_ : ndarray of object, shape (n_products + 1,)
        Options in the order of the columns of `offer_probability`: None, which is rejection, and
        the products.
    policy_, thresholds_, promised_, realized_, held_out_promised_, held_out_realized_
        As in `WelfareEqualizingClassifier`; acceptance is that of any product, and `thresholds_`
        have no "threshold": with several products there is no one cut on the probability.
    held_out_folds_, calibration_, disadvantaged_group_, disadvantage_, price_of_fairness_
        Likewise.
    groups_, raised_groups_, lowered_groups_, deterministic_welfare_gap_
        Likewise.
    estimator_, out_of_fold_probabilities_, policy_probabilities_, classes_, pos_label_
        Likewise.
    n_features_in_, feature_names_in_
        Likewise.

    Raises
    ------
    DegenerateGroupError, UnseenGroupError, ValueError, TypeError, AttributeError
        As in `WelfareEqualizingClassifier`.

    Warns
    -----
    CalibrationWarning, UserWarning
        As in `WelfareEqualizingClassifier`.

    See Also
    --------
    WelfareEqualizingClassifier : One product, with smoothing and capacity.
    welfare_optimal_policy : The policy of given revenues and utilities.

    Notes
    -----
    Costs ``cv + 1`` fits and ``cv + 1`` policies of O(n k log(n k)) for k products.

    What is realized supposes that a person who was offered one product would have repaid as with
    the one of the data. What `WelfareEqualizingClassifier` says of the law, of equal welfare and
    of the scale of utilities holds here too.

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", the multi-class form.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.welfare import WelfareEqualizingOffer
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=4000), rng.random(4000) < 0.4])
    >>> y = (X[:, 0] + X[:, 1] + rng.normal(size=4000) > 0.5).astype(int)
    >>> lender = WelfareEqualizingOffer(
    ...     LogisticRegression(),
    ...     {
    ...         "small": {"gain": 1.0, "loss": 1.0, "amount": 1.0},
    ...         "large": {"gain": 2.0, "loss": 5.0, "amount": 4.0},
    ...     },
    ...     sensitive_features=1, utility="heterogeneous_opportunity", random_state=0,
    ... ).fit(X, y)
    >>> lender.offer(X[:6]).tolist()
    [None, None, 'small', None, None, None]
    >>> bool(np.ptp(lender.thresholds_["welfare"]) < 1e-9)
    True
    """

    def __init__(
        self,
        estimator: Any,
        products: Any,
        *,
        sensitive_features: Any = None,
        drop_sensitive: bool = False,
        utility: Any = "demographic_parity",
        drop_terms: bool = False,
        tolerance: float = 0.0,
        method: str = "sweep",
        recalibrate: Any = None,
        cv: Any = 5,
        nested: bool = False,
        pos_label: Any = None,
        missing: str = "raise",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.products = products
        self.sensitive_features = sensitive_features
        self.drop_sensitive = drop_sensitive
        self.utility = utility
        self.drop_terms = drop_terms
        self.tolerance = tolerance
        self.method = method
        self.recalibrate = recalibrate
        self.cv = cv
        self.nested = nested
        self.pos_label = pos_label
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, **fit_params: Any) -> Self:
        """Find probabilities out of fold and the policy on them, and fit the estimator on all.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns that the constructor names.
        y : array-like of shape (n_samples,)
            Two labels: whether the case turned out well.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.
        **fit_params : dict
            As in `WelfareEqualizingClassifier.fit`.

        Returns
        -------
        WelfareEqualizingOffer
            Itself, fitted.
        """
        self._check_policy()
        given = self._rows_at_fit(X, y, sensitive_features, fit_params, "a policy needs")
        self._fit_policy(
            given,
            partial(
                offer_policy, recalibrate=self.recalibrate,
                solver={"tolerance": self.tolerance, "method": self.method},
            ),
        )
        names = [None, *self._sources.names]
        self.products_ = np.fromiter(names, dtype=object, count=len(names))
        return self

    def _term_sources(self) -> ProductSources:
        return product_sources(self.products, self.utility)

    def offer_probability(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Probability that each person is offered each product.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples, n_products + 1)
            Columns as `products_`, rejection first. 0 or 1 but for ties.
        """
        return self._decided(X, sensitive_features, "offer_probability").accepted

    def offer(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Decide without chance: the likeliest option, the first of equal ones.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of object, shape (n_samples,)
            Names of products, None for those rejected.
        """
        chosen = self._decided(X, sensitive_features, "offer").accepted.argmax(axis=1)
        return self.products_[chosen]

    def draw(self, X: Any, *, random_state: Any, sensitive_features: Any = None) -> np.ndarray:
        """Decide by lot, each person with the policy's probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        random_state : int or RandomState
            The same seed and rows give the same offers.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of object, shape (n_samples,)
            Names of products, None for those rejected.
        """
        if random_state is None:
            raise ValueError("random_state is None: offers are drawn from a seed only.")
        upto = self._decided(X, sensitive_features, "draw").accepted.cumsum(axis=1)
        lot = check_random_state(random_state).random_sample(len(upto))
        # The last edge is 1 but for rounding, and a lot beyond it takes the last option.
        return self.products_[(lot[:, None] >= upto[:, :-1]).sum(axis=1)]

    def predict(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Label those who are offered any product, without chance.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples,)
            `pos_label` where `offer` names a product, the other label elsewhere.
        """
        accepted = self._decided(X, sensitive_features, "predict").accepted
        return self._labels(accepted.argmax(axis=1) > 0)
