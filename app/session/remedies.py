"""What is to be done about a failure, in the words of the window where the engine names a command."""

from __future__ import annotations

from app.look.translation import tr
from core.errors import CoreError, NothingIndexed, Untrusted

OPEN_A_FOLDER = tr("Open a folder first: Workspace, Open a folder (Ctrl+O).")


def in_window(error: CoreError) -> CoreError:
    """The same failure, its remedy one that can be followed here."""
    if isinstance(error, NothingIndexed):
        error.remedy = OPEN_A_FOLDER
    elif isinstance(error, Untrusted):
        error.remedy = tr("Trust it if it is yours: it is then brought up to date.")
    return error
