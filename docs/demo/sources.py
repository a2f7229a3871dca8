"""The sources, schemas and builds of the Cards of the Cas A demo, as they stood along the way."""

from __future__ import annotations

LOAD = '''\
"""Read the event list of an observation: one row a photon."""

from astropy.io import fits


def run(inputs, parameters):
    with fits.open(parameters["path"], memmap=True) as hdus:
        events = hdus["EVENTS"].data
        return {
            "events": {
                "x": events["x"],
                "y": events["y"],
                "energy": events["energy"] / 1000.0,  # eV to keV
                "exposure": hdus["EVENTS"].header["EXPOSURE"],
            }
        }
'''

FETCH = """\
#!/bin/sh
# Fetch the observations of Cas A from the archive, once.
set -eu
for obsid in 4634 4635 4636 4637 4638 4639; do
    [ -d "data/$obsid" ] || download_chandra_obsid "$obsid" evt2
done
"""

BANDS_EQUAL = '''\
"""Split the photons into three bands of equal width."""

import numpy as np


def run(inputs, parameters):
    events = inputs["events"]
    edges = np.linspace(parameters["lo"], parameters["hi"], 4)
    names = ("red", "green", "blue")
    return {
        name: select(events, edges[i], edges[i + 1])
        for i, name in enumerate(names)
    }


def select(events, lo, hi):
    keep = (events["energy"] >= lo) & (events["energy"] < hi)
    return {"x": events["x"][keep], "y": events["y"][keep], "exposure": events["exposure"]}
'''

BANDS_LINES = '''\
"""Split the photons into bands that follow the lines of the remnant.

red: oxygen to magnesium; green: silicon; blue: the continuum above argon and calcium.
"""


def run(inputs, parameters):
    events = inputs["events"]
    return {
        name: select(events, *parameters[name])
        for name in ("red", "green", "blue")
    }


def select(events, lo, hi):
    keep = (events["energy"] >= lo) & (events["energy"] < hi)
    return {"x": events["x"][keep], "y": events["y"][keep], "exposure": events["exposure"]}
'''

GRID_COUNTS = '''\
"""Count the photons of each band on a grid of the sky."""

import numpy as np

ARCSEC_PER_PIXEL = 0.492  # one pixel of ACIS


def run(inputs, parameters):
    step = parameters["pixel"] / ARCSEC_PER_PIXEL
    edges = np.arange(3600.0, 4600.0 + step, step)
    return {
        name: np.histogram2d(band["y"], band["x"], bins=(edges, edges))[0]
        for name, band in inputs.items()
    }
'''

GRID_RATES = '''\
"""The photons of each band on a grid of the sky, per second and square arcsecond."""

import numpy as np

ARCSEC_PER_PIXEL = 0.492  # one pixel of ACIS


def run(inputs, parameters):
    step = parameters["pixel"] / ARCSEC_PER_PIXEL
    edges = np.arange(3600.0, 4600.0 + step, step)
    area = parameters["pixel"] ** 2
    images = {}
    for name, band in inputs.items():
        counts, _, _ = np.histogram2d(band["y"], band["x"], bins=(edges, edges))
        images[name] = counts / (band["exposure"] * area)
    return images
'''

GRID_TILED = '''\
"""Count the photons of each band on a grid of the sky, tile by tile to save memory."""

import numpy as np

from tiles import tiles

ARCSEC_PER_PIXEL = 0.492  # one pixel of ACIS


def run(inputs, parameters):
    step = parameters["pixel"] / ARCSEC_PER_PIXEL
    edges = np.arange(3600.0, 4600.0 + step, step)
    side = len(edges) - 1
    images = {name: np.zeros((side, side), dtype=np.uint16) for name in inputs}
    for rows, columns in tiles(side, 512):
        for name, band in inputs.items():
            images[name][rows, columns] = np.histogram2d(
                band["y"], band["x"], bins=(edges[rows], edges[columns])
            )[0]
    return images
'''

TILES = '''\
"""Cut a square image into tiles."""


def tiles(side, size):
    for row in range(0, side, size):
        for column in range(0, side, size):
            yield slice(row, row + size), slice(column, column + size)
'''

TONE_CURVES = '''\
"""Bring the brightness of each band into the range of a screen."""

import numpy as np

CURVES = {"linear": lambda x: x, "sqrt": np.sqrt}


def run(inputs, parameters):
    curve = CURVES[parameters["curve"]]
    return {name: curve(image / image.max()) for name, image in inputs.items()}
'''

TONE_ASINH = '''\
"""Bring the brightness of each band into the range of a screen, by an asinh stretch.

Faint filaments stay visible beside bright knots (Lupton et al. 2004).
"""

import numpy as np


def run(inputs, parameters):
    softening = parameters["softening"]
    stretched = {}
    for name, image in inputs.items():
        scaled = image / np.percentile(image, 99.5)
        stretched[name] = np.arcsinh(scaled / softening) / np.arcsinh(1.0 / softening)
    return stretched
'''

TONE_ASINH_BLACK = TONE_ASINH.replace(
    "        scaled = image / np.percentile(image, 99.5)\n",
    '        above = np.clip(image - parameters["black"] * np.median(image), 0.0, None)\n'
    "        scaled = above / np.percentile(above, 99.5)\n",
)

SMOOTH = '''\
"""Smooth each band with a Gaussian."""

from scipy.ndimage import gaussian_filter


def run(inputs, parameters):
    return {name: gaussian_filter(image, parameters["sigma"]) for name, image in inputs.items()}
'''

PREVIEW = '''\
"""The three bands beside each other, for a quick look."""

import numpy as np


def run(inputs, parameters):
    return {"sheet": np.hstack([inputs["red"], inputs["green"], inputs["blue"]])}
'''

RGB = '''\
"""Put the three bands into one picture."""

import numpy as np


def run(inputs, parameters):
    picture = np.dstack([inputs["red"], inputs["green"], inputs["blue"]])
    return {"picture": (np.clip(picture, 0.0, 1.0) * 255).astype(np.uint8)}
'''

RGB_WEIGHTED = '''\
"""Put the three bands into one picture, each with its weight."""

import numpy as np
from PIL import Image


def run(inputs, parameters):
    names = ("red", "green", "blue")
    bands = [inputs[name] * weight for name, weight in zip(names, parameters["weights"])]
    picture = (np.clip(np.dstack(bands), 0.0, 1.0) * 255).astype(np.uint8)
    Image.fromarray(picture[::-1]).save(parameters["path"])
    return {"picture": picture}
'''

SHARPEN = '''\
"""Sharpen the picture by Richardson-Lucy deconvolution."""

from skimage.restoration import richardson_lucy


def run(inputs, parameters):
    return {"picture": richardson_lucy(inputs["picture"], psf(), num_iter=parameters["rounds"])}
'''

SPECTRUM = '''\
"""How many photons there are of each energy."""

import numpy as np


def run(inputs, parameters):
    energy = inputs["events"]["energy"]
    edges = np.arange(parameters["lo"], parameters["hi"], parameters["step"])
    counts, _ = np.histogram(energy, bins=edges)
    return {"energy": (edges[:-1] + edges[1:]) / 2, "counts": counts}
'''

SPECTRUM_BANDS = '''\
"""How many photons there are of each energy, in all and in each band."""

import numpy as np


def run(inputs, parameters):
    energy = inputs["events"]["energy"]
    edges = np.geomspace(parameters["lo"], parameters["hi"], parameters["bins"] + 1)
    counts, _ = np.histogram(energy, bins=edges)
    # The error of a count is its square root; one photon at least, so that empty bins have one.
    error = np.sqrt(np.maximum(counts, 1))
    shares = [len(inputs[name]["x"]) / len(energy) for name in ("red", "green", "blue")]
    return {
        "energy": np.sqrt(edges[:-1] * edges[1:]),
        "counts": counts,
        "error": error,
        "shares": shares,
    }
'''

EVENTS_FBS = """\
table Events {
  x: [float];
  y: [float];
  energy: [float];
  exposure: double;
}
root_type Events;
"""

BANDS_FBS = """\
table Band {
  x: [float];
  y: [float];
  exposure: double;
}
table Bands {
  red: Band;
  green: Band;
  blue: Band;
}
root_type Bands;
"""

IMAGES_FBS = """\
table Image {
  width: uint;
  height: uint;
  values: [float];
}
table Images {
  red: Image;
  green: Image;
  blue: Image;
}
root_type Images;
"""

PICTURE_FBS = """\
table Picture {
  width: uint;
  height: uint;
  values: [ubyte];
}
root_type Picture;
"""

SPECTRUM_FBS = """\
table Spectrum {
  energy: [float];
  counts: [uint];
}
root_type Spectrum;
"""

SPECTRUM_SHARES_FBS = """\
table Spectrum {
  energy: [float];
  counts: [uint];
  error: [float];
  shares: [float];
}
root_type Spectrum;
"""


def nix(*packages: str) -> str:
    """The build of a Card: Python with these packages."""
    names = "".join(f"  {name}\n" for name in packages)
    return f"{{ pkgs }}:\npkgs.python3.withPackages (p: with p; [\n{names}])\n"


CIAO_NIX = """\
{ pkgs }:
let
  # The calibration moves between releases, and the energies with it: this one is fixed.
  ciao = pkgs.callPackage ./ciao.nix { version = "4.17.0"; };
in
pkgs.buildEnv {
  name = "load";
  paths = [ ciao (pkgs.python3.withPackages (p: with p; [ astropy ])) ];
}
"""
