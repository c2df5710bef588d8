"""Settings of every test: no window is opened, and hypothesis draws the same cases every time."""

import os

os.environ["MPLBACKEND"] = "Agg"

from hypothesis import settings

settings.register_profile("fairrank", max_examples=200, deadline=None, derandomize=True)
settings.load_profile("fairrank")
