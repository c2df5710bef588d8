"""CITATION.cff speaks of the version that is here."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CITATION = ROOT / "CITATION.cff"


@pytest.mark.skipif(not CITATION.exists(), reason="the tests stand alone")
def test_the_cited_version_and_licence_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = dict(re.findall(r"^(version|license): (.+)$", CITATION.read_text("utf-8"), re.M))
    assert cited == {"version": project["version"], "license": project["license"]}
