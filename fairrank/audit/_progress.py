"""Progress of the refits: scikit-learn's callbacks where present, printed lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable)
with_callbacks: Callable[[Method], Method]  # scikit-learn's has no types

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks  # type: ignore[no-redef]
except ImportError:  # scikit-learn 1.8

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Method) -> Method:
        """Hand the method back."""
        return method


class RefitProgress:
    """Tells callbacks of every finished refit, and prints a line a finished feature.

    Callbacks are called in the calling process when a result arrives, whatever backend joblib
    runs the refits on. A refit is a leaf of the auditor's task.

    Parameters
    ----------
    auditor : FeatureRemovalAuditor
    n_tasks : int
    verbose : int
    """

    def __init__(self, auditor: Any, n_tasks: int, verbose: int):
        self.auditor = auditor
        self.n_tasks = n_tasks
        self.verbose = verbose
        self.n_done = 0
        self.context = None
        if hasattr(auditor, "_init_callback_context"):
            self.context = auditor._init_callback_context(max_subtasks=n_tasks)

    def begin(self, X: Any, y: Any) -> None:
        """Announce the audit."""
        if self.context is not None:
            self.context.call_on_fit_task_begin(estimator=self.auditor, X=X, y=y)

    def task_done(self, seconds: float) -> None:
        """One refit has come back."""
        self.n_done += 1
        if self.context is not None:
            task = self.context.subcontext(task_name="refit")
            task.call_on_fit_task_begin(estimator=self.auditor)
            task.call_on_fit_task_end(estimator=self.auditor)
        if self.verbose > 1:
            self._print(f"refit of {seconds:.2f} s")

    def feature_done(self, feature: str) -> None:
        """All refits of one feature have come back."""
        if self.verbose > 0:
            self._print(feature)

    def end(self, X: Any, y: Any) -> None:
        """Announce that the audit is over."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.auditor, X=X, y=y)

    def _print(self, text: str) -> None:
        width = len(str(self.n_tasks))
        print(f"[FeatureRemovalAuditor] {self.n_done:{width}}/{self.n_tasks} refits: {text}")
