"""A real page of a package registry: the listing and the hunks of one update.

The page is no part of this project: it is laid beside a checkout as `shared/data/package-page`. Of
the package itself only the paths, the counts and some hunks are known, so a pair of packages that
has them is made here.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from versiondiff.packages import FileStatus, LineSide, package_diff, render_package

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "package-page"

pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason="shared/data/package-page is not beside this checkout"
)


class Row(NamedTuple):
    path: str
    added: int
    removed: int

    @property
    def paths(self) -> tuple[str, str]:
        """The old and the new path."""
        if "{" not in self.path:
            return self.path, self.path
        start, rest = self.path.split("{")
        middle, end = rest.split("}")
        before, after = middle.split(" → ")
        return start + before + end, start + after + end


def rows() -> list[Row]:
    lines = (DATA / "listing.tsv").read_text(encoding="utf-8").splitlines()
    fields = [line.split("\t") for line in lines]
    return [Row(path, int(added), int(removed)) for path, added, removed in fields]


def packages(listing: list[Row], gone: int) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """A pair of packages with these paths and counts; the last `gone` files are deleted."""
    dice = random.Random(6)

    def words(count: int) -> list[str]:
        return [f"{dice.getrandbits(40):x}" for _ in range(count)]

    old: dict[str, list[str]] = {}
    new: dict[str, list[str]] = {}
    for number, row in enumerate(listing):
        before, after = row.paths
        if number >= len(listing) - gone:
            old[before] = words(row.removed)
            continue
        if row.removed == 0 and row.added > 20 and before == after:
            new[after] = words(row.added)
            continue
        # Three times as many lines stay as differ, and the changes lie apart.
        kept = words(3 * (row.added + row.removed) + 8)
        places = sorted(dice.sample(range(len(kept)), min(4, len(kept))))
        old[before], new[after] = list(kept), list(kept)
        for side, count in ((old[before], row.removed), (new[after], row.added)):
            shares = [count // len(places)] * len(places)
            shares[0] += count % len(places)
            for place, share in sorted(zip(places, shares, strict=True), reverse=True):
                side[place:place] = words(share)
    return (
        {path: "".join(f"{line}\n" for line in lines).encode() for path, lines in old.items()},
        {path: "".join(f"{line}\n" for line in lines).encode() for path, lines in new.items()},
    )


def test_the_listing_is_that_of_the_page_row_for_row() -> None:
    listing = rows()
    assert len(listing) == 198
    old, new = packages(listing, gone=2)
    diff = package_diff(
        old, new, name="samagotchi", old_version="0.156.0", new_version="0.158.0", hunks=False
    )
    assert [Row(file.shown, file.added or 0, file.removed or 0) for file in diff.files] == listing
    assert [file.status for file in diff.files[-2:]] == [FileStatus.DELETED] * 2
    shown = render_package(diff).splitlines()
    expected = [
        f"  {number}. {row.path} +{row.added} -{row.removed}"
        for number, row in enumerate(listing, 1)
    ]
    assert shown[:2] == ["samagotchi 0.156.0 → 0.158.0", "Files changed (198)"]
    assert shown[2:200] == expected


def page_hunks() -> list[Any]:
    files = json.loads((DATA / "hunks.json").read_text(encoding="utf-8"))
    return [
        pytest.param(hunk, id=f"{file['path']}:{hunk['new_start']}")
        for file in files
        for hunk in file["hunks"]
    ]


def filler(count: int) -> list[str]:
    """Lines before a hunk, none of which is a heading."""
    return [f" {number}" for number in range(count)]


def test_all_hunks_of_the_page_are_here() -> None:
    assert len(page_hunks()) == 27


@pytest.mark.parametrize("hunk", page_hunks() if DATA.exists() else [])
def test_a_hunk_is_that_of_the_page(hunk: dict[str, Any]) -> None:
    lines = hunk["lines"]
    old = [text for sign, _, _, text in lines if sign != "+"]
    new = [text for sign, _, _, text in lines if sign != "-"]
    assert (len(old), len(new)) == (hunk["old_lines"], hunk["new_lines"])
    # What stands before is the same in both, apart from how much it is.
    before_old, before_new = hunk["old_start"] - 1, hunk["new_start"] - 1
    same = min(before_old, before_new)
    texts = [
        "".join(f"{line}\n" for line in [*filler(same), *side]).encode() for side in (old, new)
    ]
    (file,) = package_diff({"a": texts[0]}, {"a": texts[1]}).files
    signs = {LineSide.CONTEXT: " ", LineSide.REMOVED: "-", LineSide.ADDED: "+"}
    ours = [
        [
            signs[line.kind],
            None if line.old is None else line.old + before_old - same,
            None if line.new is None else line.new + before_new - same,
            line.text,
        ]
        for found in file.hunks
        for line in found.lines
    ]
    assert ours == lines
