"""What packages import when it is asked for."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("versiondiff", "versiondiff.packages", "versiondiff.rendering")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there_and_no_other(package: str) -> None:
    module = import_module(package)
    taken: dict[str, tuple[str, ...]] = module._NAMES
    names = [name for names in taken.values() for name in names]
    assert sorted(names) == sorted(module.__all__)
    assert len(set(names)) == len(names)
    assert set(names) <= set(dir(module))
    for home, given in taken.items():
        for name in given:
            assert getattr(module, name) is getattr(import_module(f"{package}.{home}"), name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_is_that_of_a_module(package: str) -> None:
    # Whoever imports the module would put it in the name's place.
    module = import_module(package)
    for name in module.__all__:
        with pytest.raises(ModuleNotFoundError):
            import_module(f"{package}.{name}")


@pytest.mark.parametrize("module", ["errors", "notes", "records", "runs"])
def test_names_of_whole_modules_are_complete(module: str) -> None:
    taken = import_module("versiondiff")._NAMES[module]
    assert sorted(taken) == sorted(import_module(f"versiondiff.{module}").__all__)


def test_everything_can_be_imported_at_once() -> None:
    code = "from versiondiff import *; print(Repository.__name__, Mode.FILE.value, scan)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Repository 100644 <function scan")


def test_a_package_is_compared_without_what_it_does_not_need() -> None:
    code = (
        "import sys; from versiondiff.packages import package_diff; package_diff({'a': b'1'}, {});"
        "print(*sorted(name for name in sys.modules if name.startswith('versiondiff.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "versiondiff.packages.comparing" in loaded
    assert not loaded & {"versiondiff.repository", "versiondiff.runs", "versiondiff.packages.page"}


def test_values_are_pickled_by_the_names_of_their_modules() -> None:
    versiondiff = import_module("versiondiff")
    mode = versiondiff.Mode.LINK
    assert pickle.loads(pickle.dumps(mode)) is mode  # noqa: S301 (our own)
