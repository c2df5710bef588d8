"""Fair rankings: the order that loses least AUC for a given disparity between groups."""

from fairrank.ranking._fair_ordering import fair_ordering
from fairrank.ranking._fair_ordering_result import FairOrdering
from fairrank.ranking._post_logit import PostLogit, post_logit
from fairrank.ranking._post_logit_post_processor import PostLogitPostProcessor
from fairrank.ranking._ranking_trade_off import RankingTradeOff
from fairrank.ranking._score_map import ScoreMap
from fairrank.ranking._xorder_post_processor import XOrderPostProcessor
from fairrank.ranking._xroc_display import XROCDisplay

__all__ = [
    "FairOrdering",
    "PostLogit",
    "PostLogitPostProcessor",
    "RankingTradeOff",
    "ScoreMap",
    "XOrderPostProcessor",
    "XROCDisplay",
    "fair_ordering",
    "post_logit",
]
