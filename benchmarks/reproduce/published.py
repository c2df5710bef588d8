"""Numbers of the rank graduation paper (arXiv 2609.39025), by table, model and quantity.

Those that a summary of the paper quotes; its tables print more.
Table 1 stands beside its simulation, in ``studies/simulation.py``.
"""

from __future__ import annotations

LR, RF, GB, MLP = "logistic regression", "random forest", "gradient boosting", "MLP"
# No model of the paper: see `lending_models.weighted_forest`.
WEIGHTED = "forest, classes weighted"

# New York 2017: applications, held-out rows, shares of the groups, denied, denied once balanced.
APPLICATIONS, HELD_OUT = 446_902, 134_071
MAJORITY, MINORITY = 0.9063, 0.0937
DENIED, DENIED_BALANCED = 0.1837, 0.2417
N_PERMUTATIONS = 2000

# Figure 3: p of gradient boosting in the unfair arm among the largest burdens; from .4 on at most
# .021. Figure 4: p of the random forest on HMDA among the largest tenth.
FIGURE_3 = {0.1: 0.007, 0.2: 0.372, 0.3: 0.144, 1.0: 0.007}
FIGURE_3_FROM, FIGURE_3_AT_MOST = 0.4, 0.021
FIGURE_4 = {0.1: 0.005}

TABLE_2 = {
    LR: {"ROC-AUC": 0.6794, "PR-AUC": 0.3198, "RGF": 0.6630, "AURGF": 0.5223, "q_min": 0.02,
         "p": 0.0005},
    RF: {"ROC-AUC": 0.7348, "PR-AUC": 0.4213, "RGF": 0.6705, "AURGF": 0.7216, "q_min": 0.01,
         "p": 0.0005, "T": 19.4222},
    GB: {"ROC-AUC": 0.7364, "PR-AUC": 0.4232, "RGF": 0.6573, "AURGF": 0.5454, "q_min": 0.01,
         "p": 0.0005},
    MLP: {"ROC-AUC": 0.7303, "PR-AUC": 0.4108, "RGF": 0.6559, "AURGF": 0.5488, "q_min": 0.01,
          "p": 0.0005},
}

# Tables 3 and 4, by the feature that is removed.
LOAN_PURPOSE = {
    LR: {"ΔRGF": 0.0268, "FC": 0.0796, "ΔROC-AUC": -0.0757, "ΔPR-AUC": -0.0560, "p": 0.0005},
    RF: {"ΔRGF": 0.0834, "FC": 0.2530, "ΔROC-AUC": -0.0538, "ΔPR-AUC": -0.0458, "p": 0.0005},
    GB: {"ΔRGF": 0.0127, "FC": 0.0371, "ΔROC-AUC": -0.0513, "ΔPR-AUC": -0.0410, "p": 0.0005},
    MLP: {"ΔRGF": 0.0172, "FC": 0.0499, "ΔROC-AUC": -0.0555, "ΔPR-AUC": -0.0472, "p": 0.0005},
}
MINORITY_POPULATION = {
    LR: {"FC": -0.0044}, RF: {"FC": -0.0227}, GB: {"FC": -0.0015}, MLP: {"FC": 0.0061}
}
CO_APPLICANT_SEX = {LR: {"ΔRGF": 0.0012, "ΔROC-AUC": -0.0033}}
TABLES_3_4 = {"loan_purpose": LOAN_PURPOSE, "minority_population": MINORITY_POPULATION}

TABLE_5 = {
    LR: {"q_min": 0.0101, "p": 0.0005},
    RF: {"RGF": 0.7877, "AURGF": 0.5492, "q_min": 0.0101, "p": 0.0005, "T": 28.0435},
    GB: {"ROC-AUC": 0.7327, "PR-AUC": 0.4903, "RGF": 0.8256, "AURGF": 0.6790, "q_min": 0.0101,
         "p": 0.0005, "T": 65.3432},
    MLP: {"q_min": 0.0101, "p": 0.0005},
}

TABLE_6 = {
    LR: {"SPD": 0.0150, "EOD": 0.0203, "FPR difference": 0.0118, "PPD": 0.0093},
    RF: {"SPD": 0.2071, "DI": 1.6852},
}
