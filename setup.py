"""Compile every kernel in ``fairrank/_kernels``; all other settings are in pyproject.toml.

``FAIRRANK_BOUNDS_CHECK=1`` builds the same kernels with index checks, for tests only.
"""

import os
from pathlib import Path

import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

BOUNDS_CHECK = os.environ.get("FAIRRANK_BOUNDS_CHECK", "0") not in ("", "0")

DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    # Kernels share no state: what their modules hold is written on import and only read after.
    "freethreading_compatible": True,
    "boundscheck": BOUNDS_CHECK,
    "wraparound": False,
    "initializedcheck": BOUNDS_CHECK,
    "nonecheck": BOUNDS_CHECK,
    "cdivision": True,
}

# Exact sums rest on the order of additions: never -ffast-math, no fused contraction. Clang
# contracts unless it is told not to; MSVC does so only under /fp:fast or /fp:contract.
FLAGS = {"msvc": ["/fp:precise"]}
FLAGS_OF_THE_OTHERS = ["-O3", "-ffp-contract=off"]
# Symbols for a debugger are four fifths of a kernel's file and a quarter of the time to compile
# it, and Python's own flags may ask for them. They are left in where CFLAGS says so.
if "-g" not in os.environ.get("CFLAGS", ""):
    FLAGS_OF_THE_OTHERS.append("-g0")


class BuildKernels(build_ext):
    """Compile on all cores, with flags by the compiler: Windows has gcc and clang too."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or True

    def build_extensions(self):
        for extension in self.extensions:
            extension.extra_compile_args = FLAGS.get(
                self.compiler.compiler_type, FLAGS_OF_THE_OTHERS
            )
        super().build_extensions()


extensions = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        include_dirs=[np.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
    )
    for source in sorted(Path("fairrank").rglob("*.pyx"))
]

setup(
    ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES, force=BOUNDS_CHECK),
    cmdclass={"build_ext": BuildKernels},
)
