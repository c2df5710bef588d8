"""Settings of every test: no window is opened, and hypothesis draws the same cases every time."""

import os

os.environ["MPLBACKEND"] = "Agg"

from hypothesis import HealthCheck, settings

# A busy machine must not fail a test: no deadline, and no clock on drawing the cases either.
settings.register_profile(
    "fairrank", max_examples=200, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# For builds in which everything takes ten times as long.
settings.register_profile("few", settings.get_profile("fairrank"), max_examples=20)
settings.load_profile("fairrank")
