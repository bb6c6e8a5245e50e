"""Imports between the rooms of the package point one way, and the reader that says so can fail."""

from pathlib import Path

import pytest

from namedtensor.doors import DOORS, door
from tests.project.interpreter import ROOT
from tests.project.rooms import CIRCLES, circles, doors_asked, upward_imports

PACKAGE = ROOT / "namedtensor"
ORDER = ["upper", "lower"]


@pytest.fixture
def house(tmp_path):
    """Build a package of two rooms from the sources given."""

    def build(**files: str) -> Path:
        package = tmp_path / "fake"
        package.mkdir()
        for name, source in {"__init__": "", "upper": "", "lower": "", **files}.items():
            (package / f"{name}.py").write_text(source)
        return package

    return build


def test_a_room_imports_only_rooms_above_it():
    assert upward_imports(PACKAGE) == []


def test_every_door_opens_and_is_asked_for():
    assert doors_asked(PACKAGE) == set(DOORS)
    assert all(callable(door(name)) for name in DOORS)


@pytest.mark.parametrize(
    "source",
    [
        "from fake.lower import f",
        "from fake.lower.cellar import f",
        "from fake import lower",
        "import fake.lower",
        "from .lower import f",
        "from . import lower",
        "class C:\n    import fake.lower",
        "def f():\n    import fake.lower",
        "if TYPE_CHECKING:\n    import fake.lower",
        "f = lambda: __name__\nif f:\n    import fake.lower",
    ],
)
def test_the_reader_sees_an_import_from_below(house, source):
    line = source.count("\n") + 1
    assert upward_imports(house(upper=source), ORDER) == [
        f"upper.py:{line}: upper imports lower, a room below it"
    ]


@pytest.mark.parametrize(
    "source", ["from fake.upper import f", "from . import upper", "import numpy", "import fakery"]
)
def test_the_reader_lets_other_imports_pass(house, source):
    assert upward_imports(house(lower=source), ORDER) == []


def test_the_front_door_may_import_every_room(house):
    assert upward_imports(house(__init__="from .lower import f"), ORDER) == []


def test_the_reader_sees_a_room_without_a_place(house):
    assert upward_imports(house(shed=""), ORDER) == [
        "shed.py: shed has no place in the order of the rooms"
    ]


def test_the_reader_sees_an_import_through_the_front_door(house):
    assert upward_imports(house(lower="from fake import f"), ORDER) == [
        "lower.py:1: imports fake.f, which is not in a room"
    ]


def test_no_two_files_of_the_reader_of_documents_have_one_name():
    names = [p.name for p in (PACKAGE / "latex").rglob("*.py") if p.name != "__init__.py"]
    assert sorted(names) == sorted(set(names))


def test_the_files_that_import_one_another_are_those_that_are_known():
    found = [" ".join(sorted(f.removeprefix("namedtensor.") for f in c)) for c in circles(PACKAGE)]
    assert sorted(found) == sorted(CIRCLES)


def test_at_most_three_files_import_one_another():
    assert max(len(circle.split()) for circle in CIRCLES) <= 3


@pytest.mark.parametrize(
    "lower",
    [
        "from fake import upper",
        "def f():\n    import fake.upper",
        "if TYPE_CHECKING:\n    from fake.upper import f",
    ],
)
def test_a_circle_is_seen(house, lower):
    package = house(upper="from fake.lower import x", lower=lower)
    assert circles(package) == [{"fake.lower", "fake.upper"}]
    (package / "lower.py").write_text("x = 1")
    assert circles(package) == []
