"""Real packages, fetched by the ordinary clients, kept in a folder, unpacked by the ordinary tools.

The folder is named by the variable below. What is in it already is not fetched again, so that a
second run needs no network.
"""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

FOLDER = "VERSIONDIFF_REAL_PACKAGES"


class Source(enum.Enum):
    """Where a package comes from, and as what."""

    WHEEL = "wheel"
    SDIST = "sdist"
    CRATE = "crate"


class Release(NamedTuple):
    """One version of a package."""

    source: Source
    name: str
    version: str


def fetched(release: Release, folder: Path) -> Path:
    """The archive of a release, from the folder or else from its registry."""
    place = folder / release.source.value / f"{release.name}-{release.version}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".unfinished-") as unfinished:
            target = Path(unfinished) / "archive"
            target.mkdir()
            fetch = _with_cargo if release.source is Source.CRATE else _with_pip
            fetch(release, target)
            target.rename(place)
    (archive,) = place.iterdir()
    return archive


def _with_pip(release: Release, target: Path) -> None:
    if release.source is Source.SDIST:
        # pip asks the package for its metadata, and for that it installs what builds it.
        kind = ["--no-binary", ":all:"]
    else:
        # The same wheel on every machine.
        kind = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", "3.11"]
        kind += ["--platform", "manylinux2014_x86_64"]
    wanted = f"{release.name}=={release.version}"
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", *kind, "-d", target, wanted])


def _with_cargo(release: Release, target: Path) -> None:
    """A project that depends on it is fetched, and it is taken from cargo's own cache."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "src").mkdir()
        (project / "src" / "lib.rs").touch()
        manifest = "[package]\nname = 'fetching'\nversion = '0.1.0'\nedition = '2021'\n"
        manifest += f"[dependencies]\n{release.name} = '={release.version}'\n"
        (project / "Cargo.toml").write_text(manifest)
        run(["cargo", "fetch", "--quiet"], cwd=project)
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    name = f"{release.name}-{release.version}.crate"
    found = next((home / "registry" / "cache").glob(f"*/{name}"))
    shutil.copyfile(found, target / name)


def unpacked(archive: Path, target: Path) -> Path:
    """The files of an archive below `target`, without the folder named by the version."""
    target.mkdir(parents=True)
    if archive.suffix == ".whl":
        run(["unzip", "-q", archive, "-d", target])
        for kind in ("dist-info", "data"):
            for versioned in target.glob(f"*-*.{kind}"):
                versioned.rename(target / f"{versioned.name.split('-')[0]}.{kind}")
        return target
    run(["tar", "-xf", archive, "-C", target])
    if archive.suffix == ".gem":
        run(["gunzip", target / "metadata.gz", target / "checksums.yaml.gz"])
        (target / "data").mkdir()
        run(["tar", "-xf", target / "data.tar.gz", "-C", target / "data"])
        (target / "data.tar.gz").unlink()
        return target
    (top,) = target.iterdir()
    return top


def run(command: list[str | Path], *, cwd: Path | None = None) -> None:
    """Run a program; what it says is in the error where it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
