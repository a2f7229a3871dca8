"""Write the history file of the Cas A demo: what was tried on the way to one picture.

The project, its people and its numbers are made up. Run it after a change of the story:

    python docs/demo/cas_a.py > python/versiondiff/demo/cas-a.tsugumi-history.json
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import math
import sys
import uuid
from datetime import UTC, datetime
from typing import Any

import sources

MIKA = {"name": "Mika Sato", "email": "mika@example.org"}
JONAS = {"name": "Jonas Weber", "email": "jonas@example.org"}
AGENT = {"name": "Tsugumi Agent", "email": "agent@example.org"}

BAND_NAMES = ("red", "green", "blue")


@dataclasses.dataclass
class Card:
    """One Card, by the parts of its files."""

    name: str
    title: str
    description: str
    inputs: dict[str, str]
    parameters: dict[str, tuple[str, Any]]
    links: list[tuple[str, str, str]]  # (card, output, input)
    outputs: str
    build: str
    source: dict[str, str]
    kind: str = "process"
    comments: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    executable: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Project:
    """The project as it stands in one version."""

    settings: dict[str, Any]
    cards: dict[str, Card]
    places: dict[str, tuple[int, int]]
    others: dict[str, Any]

    def files(self) -> dict[str, Any]:
        """Every file of the project, as the history file writes it."""
        files: dict[str, Any] = dict(self.others)
        files["tsugumi.json"] = text(self.settings)
        places = {card: {"x": x, "y": y} for card, (x, y) in self.places.items()}
        files["layout.json"] = text({"cards": places})
        for card_id, card in self.cards.items():
            folder = f"definitions/{card_id}"
            files[f"{folder}/_card.json"] = text(
                {
                    "name": card.name,
                    "kind": card.kind,
                    "inputs": [{"name": n, "type": t} for n, t in card.inputs.items()],
                    "parameters": {
                        name: {"type": kind, "value": value}
                        for name, (kind, value) in card.parameters.items()
                    },
                }
            )
            files[f"{folder}/_meta.json"] = text(
                {"title": card.title, "description": card.description, "comments": card.comments}
            )
            links = [{"from": f, "output": o, "input": i} for f, o, i in card.links]
            files[f"{folder}/_link.json"] = text({"links": links})
            files[f"{folder}/_outputs.fbs"] = card.outputs
            files[f"{folder}/default.nix"] = card.build
            for path, source in card.source.items():
                plain = path not in card.executable
                files[f"{folder}/src/{path}"] = (
                    source if plain else {"text": source, "mode": "100755"}
                )
        return files


def text(value: object) -> str:
    """The JSON of a project's file."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


class History:
    """The versions so far, and the project as it stood in each."""

    def __init__(self) -> None:
        self.projects: dict[str, Project] = {}
        self.versions: list[dict[str, Any]] = []

    def add(
        self,
        key: str,
        parents: tuple[str, ...],
        message: str,
        author: dict[str, str],
        time: str,
        project: Project,
        *runs: tuple[str, int, float],
    ) -> None:
        """Add a version; its files are told against its first parent.

        A run is its status, in which minute after the version was made it started, and how many
        seconds it took.
        """
        old = self.projects[parents[0]].files() if parents else {}
        new = project.files()
        files = {
            path: new.get(path) for path in sorted(old | new) if old.get(path) != new.get(path)
        }
        self.projects[key] = copy.deepcopy(project)
        version = {
            "key": key,
            "parents": list(parents),
            "message": message,
            "author": author,
            "time": seconds(time),
            "files": files,
        }
        if runs:
            version["runs"] = [
                {
                    "id": run_id(key, number),
                    "status": status,
                    "ended": seconds(time) + 60 * minute + math.ceil(duration),
                    "seconds": duration,
                }
                for number, (status, minute, duration) in enumerate(runs)
            ]
        self.versions.append(version)

    def at(self, key: str) -> Project:
        """The project as it stood in a version, to be changed further."""
        return copy.deepcopy(self.projects[key])


def seconds(time: str) -> int:
    """Seconds since the epoch of a time in UTC, such as `2026-10-05 09:12`."""
    return int(datetime.strptime(time, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp())


def run_id(version: str, number: int) -> str:
    """The UUID of a run: as good as any other one, and the same each time this is run."""
    digest = hashlib.sha256(f"Cas A, {version}, {number}".encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def comment(
    comment_id: str, words: str, author: str, resolved_by: str = "", cards: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A comment of a Card."""
    value: dict[str, Any] = {"id": comment_id, "text": words, "author": author, "state": "open"}
    if resolved_by:
        value |= {"state": "resolved", "resolvedBy": resolved_by, "resolvedCards": list(cards)}
    return value


LOAD, BANDS, GRID, STRETCH = "load-4k2", "bands-9xq", "grid-t07", "tone-m3e"
RGB, PREVIEW, SMOOTH, SHARPEN = "rgb-8dc", "preview-2wz", "smooth-c5n", "sharpen-k1u"
SPECTRUM = "spectrum-p6h"


def per_band(card: str) -> list[tuple[str, str, str]]:
    """Links that carry the three bands from one Card."""
    return [(card, name, name) for name in BAND_NAMES]


def build() -> dict[str, Any]:
    """The whole history."""
    history = History()
    project = Project(
        settings={
            "formatVersion": 1,
            "name": "Cas A",
            "pkgsPath": "tsugumi:default",
            "trigger": LOAD,
            "settings": {"retries": 0},
        },
        cards={
            LOAD: Card(
                name="load",
                title="Load events",
                description="カシオペヤ座Aの観測から、光子のイベントリストを読み込みます。",
                inputs={},
                parameters={"path": ("path", "data/casa.evt2.fits")},
                links=[],
                outputs=sources.EVENTS_FBS,
                build=sources.nix("astropy", "numpy"),
                source={"main.py": sources.LOAD},
            )
        },
        places={LOAD: (80, 160)},
        others={
            ".gitignore": ".tsugumi/\n",
            # The first bytes of an event file; the real one is fetched.
            "data/casa.evt2.fits": {"base64": "U0lNUExFICA9ICAgICAgICAgICAgICAgICAgICBUAAH/"},
        },
    )
    history.add("load", (), "Start Versioning", MIKA, "2026-10-05 09:12", project)

    project.cards[BANDS] = Card(
        name="bands",
        title="Energy bands",
        description="Three bands of energy, for red, green and blue.",
        inputs={"events": "Events"},
        parameters={"lo": ("keV", 0.5), "hi": ("keV", 7.0)},
        links=[(LOAD, "events", "events")],
        outputs=sources.BANDS_FBS,
        build=sources.nix("numpy"),
        source={"main.py": sources.BANDS_EQUAL},
    )
    project.places[BANDS] = (320, 160)
    history.add(
        "bands", ("load",), "Run: load", MIKA, "2026-10-05 09:40", project, ("succeeded", 0, 8.4)
    )

    project.cards[GRID] = Card(
        name="grid",
        title="Sky grid",
        description="Photons of each band on a grid of the sky.",
        inputs=dict.fromkeys(BAND_NAMES, "Band"),
        parameters={"pixel": ("arcsec", 4.0)},
        links=per_band(BANDS),
        outputs=sources.IMAGES_FBS,
        build=sources.nix("numpy"),
        source={"main.py": sources.GRID_COUNTS},
    )
    project.places[GRID] = (560, 160)
    project.cards[LOAD].source["fetch.sh"] = sources.FETCH
    project.cards[BANDS].comments.append(
        comment("c-01", "The silicon line at 1.86 keV shares red with everything soft.", "user")
    )
    history.add(
        "grid", ("bands",), "Run: load", MIKA, "2026-10-05 10:25", project, ("succeeded", 0, 21.7)
    )

    project.cards[STRETCH] = Card(
        name="tone",
        title="Tone",
        description="Brightness for the screen.",
        inputs=dict.fromkeys(BAND_NAMES, "Image"),
        parameters={"curve": ("text", "linear")},
        links=per_band(GRID),
        outputs=sources.IMAGES_FBS,
        build=sources.nix("numpy"),
        source={"main.py": sources.TONE_CURVES},
    )
    project.cards[PREVIEW] = Card(
        name="preview",
        title="Preview",
        description="The three bands beside each other.",
        inputs=dict.fromkeys(BAND_NAMES, "Image"),
        parameters={},
        links=per_band(GRID),
        outputs=sources.PICTURE_FBS,
        build=sources.nix("numpy"),
        source={"main.py": sources.PREVIEW},
    )
    project.cards[RGB] = Card(
        name="rgb",
        title="Three-colour picture",
        description="三つのバンドを一枚のカラー画像に重ねます。",
        inputs=dict.fromkeys(BAND_NAMES, "Image"),
        parameters={},
        links=per_band(STRETCH),
        outputs=sources.PICTURE_FBS,
        build=sources.nix("numpy"),
        source={"main.py": sources.RGB},
    )
    project.places |= {STRETCH: (800, 160), PREVIEW: (800, 360), RGB: (1040, 160)}
    history.add(
        "first-light",
        ("grid",),
        "Run: load",
        MIKA,
        "2026-10-05 14:02",
        project,
        ("failed", 0, 24.9),
        ("succeeded", 3, 31.2),
    )

    project.places |= {LOAD: (80, 120), BANDS: (320, 120), GRID: (560, 120), PREVIEW: (800, 300)}
    history.add(
        "tidy",
        ("first-light",),
        "Run: load",
        MIKA,
        "2026-10-05 14:10",
        project,
        ("succeeded", 0, 30.8),
    )

    # A grid too fine for the machine: failed, tried once more, and left.
    project.cards[GRID].parameters["pixel"] = ("arcsec", 0.125)
    history.add(
        "grid-fine",
        ("tidy",),
        "Run: grid",
        AGENT,
        "2026-10-06 08:31",
        project,
        ("failed", 0, 412.6),
        ("failed", 9, 398.1),
    )
    project.cards[GRID].source |= {"main.py": sources.GRID_TILED, "tiles.py": sources.TILES}
    project.cards[GRID].comments.append(
        comment("c-02", "Still out of memory: the sum of the tiles is the whole image.", "agent")
    )
    history.add(
        "grid-tiles",
        ("grid-fine",),
        "Run: grid",
        AGENT,
        "2026-10-06 08:54",
        project,
        ("failed", 0, 655.0),
    )

    project = history.at("tidy")
    project.cards[GRID].parameters["pixel"] = ("arcsec", 1.0)
    project.cards[GRID].source["main.py"] = sources.GRID_RATES
    project.cards[LOAD].executable.add("fetch.sh")
    history.add(
        "grid-rates",
        ("tidy",),
        "Run: grid",
        MIKA,
        "2026-10-06 11:15",
        project,
        ("succeeded", 0, 34.5),
    )

    project.cards[BANDS].source["main.py"] = sources.BANDS_LINES
    project.cards[BANDS].parameters = {
        "red": ("keV range", [0.5, 1.5]),
        "green": ("keV range", [1.5, 2.5]),
        "blue": ("keV range", [4.0, 6.0]),
    }
    project.cards[BANDS].comments[0] = comment(
        "c-01",
        "The silicon line at 1.86 keV shares red with everything soft.",
        "user",
        "agent",
        (BANDS,),
    )
    history.add(
        "bands-lines",
        ("grid-rates",),
        "Run: bands",
        AGENT,
        "2026-10-07 09:05",
        project,
        ("succeeded", 0, 29.9),
    )

    # Iron in blue: too few photons, and smoothing hides what was to be seen. Not adopted.
    project.cards[BANDS].parameters["blue"] = ("keV range", [6.2, 6.9])
    project.cards[BANDS].comments.append(
        comment("c-03", "Blue is iron alone now: beautiful, and mostly noise.", "user")
    )
    history.add(
        "bands-iron",
        ("bands-lines",),
        "Run: bands",
        JONAS,
        "2026-10-07 13:20",
        project,
        ("succeeded", 0, 33.1),
    )
    project.cards[SMOOTH] = Card(
        name="smooth",
        title="Smooth",
        description="A Gaussian over each band.",
        inputs=dict.fromkeys(BAND_NAMES, "Image"),
        parameters={"sigma": ("pixels", 2.5)},
        links=per_band(GRID),
        outputs=sources.IMAGES_FBS,
        build=sources.nix("numpy", "scipy"),
        source={"main.py": sources.SMOOTH},
    )
    project.cards[STRETCH].links = per_band(SMOOTH)
    project.places[SMOOTH] = (680, 40)
    history.add(
        "iron-smooth",
        ("bands-iron",),
        "Run: grid",
        JONAS,
        "2026-10-07 14:41",
        project,
        ("stopped", 0, 12.6),
        ("succeeded", 2, 44.2),
    )

    project = history.at("bands-lines")
    project.cards[STRETCH].parameters["curve"] = ("text", "sqrt")
    history.add(
        "tone-sqrt",
        ("bands-lines",),
        "実行: tone",
        MIKA,
        "2026-10-08 01:30",
        project,
        ("succeeded", 0, 6.2),
    )

    # Two lines of work on the same Card, brought together.
    project.cards[STRETCH].source["main.py"] = sources.TONE_ASINH
    project.cards[STRETCH].parameters = {"softening": ("number", 0.1)}
    history.add(
        "asinh",
        ("tone-sqrt",),
        "Run: tone",
        JONAS,
        "2026-10-08 08:12",
        project,
        ("succeeded", 0, 7.0),
    )
    project.cards[STRETCH].source["main.py"] = sources.TONE_ASINH_BLACK
    project.cards[STRETCH].parameters = {"softening": ("number", 0.02), "black": ("number", 1.5)}
    history.add(
        "asinh-black",
        ("asinh",),
        "Run: tone",
        JONAS,
        "2026-10-08 09:47",
        project,
        ("succeeded", 0, 7.3),
        ("succeeded", 2, 7.2),
    )

    project = history.at("tone-sqrt")
    project.cards[STRETCH].name = "stretch"
    project.cards[STRETCH].title = "Stretch"
    project.cards[STRETCH].description = "淡いフィラメントと明るいノットを同時に見せるための階調。"
    history.add(
        "rename",
        ("tone-sqrt",),
        "実行: stretch",
        MIKA,
        "2026-10-08 09:50",
        project,
        ("succeeded", 0, 6.4),
    )

    other = history.at("asinh-black").cards[STRETCH]
    project.cards[STRETCH].source = other.source
    project.cards[STRETCH].parameters = other.parameters
    history.add(
        "merge-asinh",
        ("rename", "asinh-black"),
        "Merge branch 'stretch-asinh'",
        MIKA,
        "2026-10-08 11:03",
        project,
    )

    project.cards[RGB].source["main.py"] = sources.RGB_WEIGHTED
    project.cards[RGB].parameters = {
        "weights": ("list", [1.0, 1.0, 1.4]),
        "path": ("path", "data/casa-rgb.png"),
    }
    project.cards[RGB].build = sources.nix("numpy", "pillow")
    project.cards[RGB].comments.append(
        comment("c-04", "Is north up? The first row of the grid is the southernmost.", "agent")
    )
    del project.cards[PREVIEW], project.places[PREVIEW]
    history.add(
        "rgb-weights",
        ("merge-asinh",),
        "Run: rgb",
        AGENT,
        "2026-10-09 10:18",
        project,
        ("failed", 0, 3.8),
        ("succeeded", 4, 9.6),
    )

    project.cards[RGB].comments[0] = comment(
        "c-04",
        "Is north up? The first row of the grid is the southernmost.",
        "agent",
        "user",
        (RGB,),
    )
    rgb = project.cards[RGB]
    rgb.description = "三つのバンドを一枚のカラー画像に重ねます。北が上、東が左です。"
    project.cards[RGB].parameters["weights"] = ("list", [1.0, 0.95, 1.35])
    history.add(
        "rgb-v1", ("rgb-weights",), "Keep as Version: rgb-v1", MIKA, "2026-10-09 15:30", project
    )

    # Sharpening needs a point spread function that nobody had: failed and left.
    project.cards[SHARPEN] = Card(
        name="sharpen",
        title="Sharpen",
        description="Richardson-Lucy deconvolution.",
        inputs={"picture": "Picture"},
        parameters={"rounds": ("number", 30)},
        links=[(RGB, "picture", "picture")],
        outputs=sources.PICTURE_FBS,
        build=sources.nix("numpy", "scikit-image"),
        source={"main.py": sources.SHARPEN},
    )
    project.places[SHARPEN] = (1280, 120)
    history.add(
        "sharpen",
        ("rgb-v1",),
        "Run: sharpen",
        AGENT,
        "2026-10-12 09:00",
        project,
        ("failed", 0, 95.3),
        ("failed", 5, 96.0),
    )

    project = history.at("rgb-v1")
    project.cards[SPECTRUM] = Card(
        name="spectrum",
        title="Spectrum",
        description="全光子のスペクトル。バンドの境界を決める根拠になります。",
        inputs={"events": "Events"},
        parameters={"lo": ("keV", 0.5), "hi": ("keV", 8.0), "step": ("keV", 0.05)},
        links=[(LOAD, "events", "events")],
        outputs=sources.SPECTRUM_FBS,
        build=sources.nix("numpy"),
        source={"main.py": sources.SPECTRUM},
    )
    project.places[SPECTRUM] = (320, 360)
    history.add(
        "spectrum",
        ("rgb-v1",),
        "Run: load",
        MIKA,
        "2026-10-13 10:20",
        project,
        ("succeeded", 0, 14.8),
    )

    project.cards[SPECTRUM].inputs |= dict.fromkeys(BAND_NAMES, "Band")
    project.cards[SPECTRUM].links += per_band(BANDS)
    project.cards[SPECTRUM].parameters = {
        "lo": ("keV", 0.5),
        "hi": ("keV", 8.0),
        "bins": ("number", 180),
    }
    project.cards[SPECTRUM].source["main.py"] = sources.SPECTRUM_BANDS
    project.cards[SPECTRUM].outputs = sources.SPECTRUM_SHARES_FBS
    project.cards[BANDS].comments[0] = comment(
        "c-01", "The silicon line at 1.86 keV shares red with everything soft.", "user"
    )
    project.settings["name"] = "Cas A: picture and spectrum"
    history.add(
        "spectrum-bands",
        ("spectrum",),
        "Run: spectrum",
        AGENT,
        "2026-10-13 11:48",
        project,
        ("succeeded", 0, 16.1),
    )

    project.settings["pkgsPath"] = "github:NixOS/nixpkgs/5b1a0c9e7d3f42866d1b0f9c2e4a7788d9035e61"
    project.cards[LOAD].build = sources.CIAO_NIX
    project.cards[BANDS].comments[0] = comment(
        "c-01", "The silicon line at 1.86 keV shares red with everything soft.", "user", "user"
    )
    history.add(
        "pin-ciao",
        ("spectrum-bands",),
        "Run: load",
        MIKA,
        "2026-10-14 09:30",
        project,
        ("failed", 0, 182.4),
        ("succeeded", 6, 611.9),
    )

    return {
        "formatVersion": 1,
        "head": "main",
        "branches": {
            "main": "pin-ciao",
            "stretch-asinh": "asinh-black",
            "try-bands-lines": "iron-smooth",
            "try-rgb-v1": "sharpen",
            "try-tidy": "grid-tiles",
        },
        "tags": {
            "rgb-v1": {
                "version": "rgb-v1",
                "memo": "The picture for the poster. 北が上。",
                "tagger": MIKA,
                "time": seconds("2026-10-09 15:31"),
            }
        },
        "versions": history.versions,
    }


if __name__ == "__main__":
    sys.stdout.write(text(build()))
