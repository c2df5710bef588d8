"""Fair rankings: pictures of how the groups stand in a ranking, before and after an adjustment."""

from fairrank.ranking._xroc_display import XROCDisplay

__all__ = ["XROCDisplay"]
