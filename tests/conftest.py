"""Settings of every test: no window is opened, and hypothesis draws the same cases every time."""

import os

os.environ["MPLBACKEND"] = "Agg"

import pytest
import sklearn
from hypothesis import HealthCheck, settings

# A busy machine must not fail a test: no deadline, and no clock on drawing the cases either.
settings.register_profile(
    "fairrank", max_examples=200, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# For builds in which everything takes ten times as long.
settings.register_profile("few", settings.get_profile("fairrank"), max_examples=20)
settings.load_profile("fairrank")


@pytest.fixture
def routing():
    """Metadata routing is on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(params=[False, True], ids=["without_routing", "with_routing"])
def either(request):
    """Once without metadata routing, once with it."""
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield
