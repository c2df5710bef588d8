"""Compile every kernel in ``fairrank/_kernels``; all other settings are in pyproject.toml.

``FAIRRANK_BOUNDS_CHECK=1`` builds the same kernels with index checks, for tests only.
"""

import os
from pathlib import Path

import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup

BOUNDS_CHECK = os.environ.get("FAIRRANK_BOUNDS_CHECK", "0") not in ("", "0")

DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "freethreading_compatible": True,
    "boundscheck": BOUNDS_CHECK,
    "wraparound": False,
    "initializedcheck": BOUNDS_CHECK,
    "nonecheck": BOUNDS_CHECK,
    "cdivision": True,
}

extensions = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        include_dirs=[np.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        # Exact sums rest on the order of additions: never -ffast-math, no fused contraction.
        extra_compile_args=[] if os.name == "nt" else ["-O3", "-ffp-contract=off"],
    )
    for source in sorted(Path("fairrank").rglob("*.pyx"))
]

setup(ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES, force=BOUNDS_CHECK))
