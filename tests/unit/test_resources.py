import pytest

from archivist import resources, shipped


def test_resources_are_found_and_stay_in_their_folder() -> None:
    assert "cues/en.toml" in resources.names("cues", ".toml")
    assert resources.text("cues/en.toml")
    with pytest.raises(ValueError, match="stay in the resources folder"):
        resources.path("../pyproject.toml")


def test_the_shipped_rules_are_whole() -> None:
    token = "ghp_" + "aZ3x9Q" * 6
    assert shipped.gate().clean(f"use {token}").text == "use [redacted: github token]"
    assert {"en", "zh"} <= set(shipped.cues().languages)
