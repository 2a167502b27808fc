from pathlib import Path

import pytest

from archivist.machine.home import GitProjects, HomeFolder


@pytest.mark.parametrize(
    "recorded",
    [
        "/home/anna/code/app",
        "/Users/anna/code/app",
        r"C:\Users\anna\code\app",
        "C:/Users/anna/code/app",
    ],
)
def test_a_path_of_another_home_is_found_under_this_one(tmp_path: Path, recorded: str) -> None:
    (tmp_path / "code" / "app").mkdir(parents=True)
    assert HomeFolder(tmp_path).here(recorded) == tmp_path / "code" / "app"


def test_a_path_that_is_there_is_taken_as_it_is(tmp_path: Path) -> None:
    assert HomeFolder(tmp_path / "elsewhere").here(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("recorded", ["/home/anna/none", "/opt/none", "relative/none", ""])
def test_what_is_nowhere_is_none(tmp_path: Path, recorded: str) -> None:
    assert HomeFolder(tmp_path).here(recorded) is None


def test_the_project_is_the_work_tree_in_the_recorded_words(tmp_path: Path) -> None:
    (tmp_path / "code" / "app" / ".git").mkdir(parents=True)
    (tmp_path / "code" / "app" / "src" / "deep").mkdir(parents=True)
    projects = GitProjects(HomeFolder(tmp_path))
    assert projects.project_of("/home/anna/code/app/src/deep") == "/home/anna/code/app"
    assert projects.project_of("/home/anna/code/app/") == "/home/anna/code/app"
    assert projects.project_of(r"C:\Users\anna\code\app\src") == r"C:\Users\anna\code\app"
    assert projects.project_of("/home/anna/code") == "/home/anna/code"
    assert projects.project_of("/home/anna/gone/away") == "/home/anna/gone/away"


def test_a_home_folder_kept_in_git_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes").mkdir()
    projects = GitProjects(HomeFolder(tmp_path))
    assert projects.project_of("/home/anna/notes") == "/home/anna/notes"


def test_a_given_home_hides_the_environment(tmp_path: Path) -> None:
    assert HomeFolder(tmp_path).variable("CODEX_HOME") is None
    assert HomeFolder(tmp_path, {"CODEX_HOME": "/x"}).variable("CODEX_HOME") == "/x"
