"""Colours made of others, and cividis, the heat scale: perceptually uniform and the same to colour-blind eyes.

Nunez, Anderton and Renslow 2018, PLoS ONE 13(7): e0199239. The numbers are the published table of
256 colours (dedicated to the public, CC0), shipped here so that no plotting library is loaded for them.
"""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

_TABLE = (
    "ACBNACFOACJQACJSACNTACRVACVXACVYACZaACdcACdeAChgAClhACpjACplACtnACxpACxqAC1sAC5uAC5vAC9vAC9vADBvADBv"
    "ADFvADJvADNvADNvADRvADVuATZuBjZuCzduDzhuEjhtFTltGDptGjttHTttHzxtIT1tIz5sJD5sJj9sKEBsKkBsK0FsLUJsLkNs"
    "MENsMURrMkVrNEVrNUZrNkdrOEhrOUhrOklrO0prPUprPktrP0xrQE1rQU1rQk5rQ09rRE9rRlBrR1FrSFJrSVJrSlNrS1RsTFRs"
    "TVVsTlZsT1dsUFdsUVhsUllsU1lsVFpsVVttVlxtV1xtWF1tWV5tWV9tWl9tW2BuXGFuXWFuXmJuX2NuYGRvYWRvYmVvY2ZvZGZv"
    "ZGdwZWhwZmlwZ2lwaGpxaWtxamxxa2xxbG1ybG5ybW5ybm9zb3BzcHFzcXF0cnJ0cnN0c3R1dHR1dXV1dnZ2d3d2eHd3eHh3eXl3"
    "enp4e3p4fHt4fXx4fn14f314gH55gX95goB5g4B5hIF5hIJ5hYN5hoN5h4R5iIV5iYZ5iod5i4d5jIh5jYl5jop5j4p5kIt5kYx4"
    "ko14k454lI54lY94lpB4l5F4mJJ4mZJ4mpN3m5R3nJV3nZZ3npZ3n5d3oJh3oZl2opp2o5p2pJt2pZx2pp11qJ51qZ91qp91q6B0"
    "rKF0raJ0rqN0r6RzsKRzsaVzsqZys6dytKhytalxtqlxt6pxuKtwuaxwuq1wu65vvK9vvq9vv7BuwLFuwbJtwrNtw7RtxLVsxbVs"
    "xrZrx7dryLhqyblqy7ppzLtpzbxozrxoz71n0L5n0b9m0sBm08Fl1MJk1sNk18Rj2MVj2cVi2sZh28dh3Mhg3clf3spf4Mte4cxd"
    "4s1c485c5M9b5dBa5tFZ6NJZ6dNY6tNX69RW7NVV7dZU79dT8NhS8dlR8tpQ89tP9NxO9t1N995M+N9L+eBK+uFJ++JI/eNG/uRF"
    "/+VE/+ZC/+dC/+hD/+lE/+pG"
)


def mixed(first: str, second: str, share: float) -> QColor:
    """A colour between two: `share` of the first. Opaque lines draw three times faster than clear ones."""
    a, b = QColor(first), QColor(second)
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x * share + y * (1 - share)) for x, y in pairs))


def cividis() -> NDArray[np.uint8]:
    """Return the table, shape (256, 3), red green blue in 0..255, from dark blue to yellow."""
    return np.frombuffer(base64.b64decode(_TABLE), dtype=np.uint8).reshape(256, 3)
