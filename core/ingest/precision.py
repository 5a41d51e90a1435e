"""The precision in which a workspace's texts are encoded: one for all of them, decided once."""

from __future__ import annotations

from core.store.store import Store

_SETTING = "precision"


def kept_precision(store: Store) -> str:
    """What the workspace keeps, else what suits this processor, kept from now on.

    Vectors of an older Clew, which did not tell, stay: those of both precisions are within .9999 of each other.
    """
    from core.providers.minilm_torch import PRECISIONS, best_precision  # slow to import

    kept = store.settings.get(_SETTING)
    if kept not in PRECISIONS:
        kept = best_precision()
        store.settings.set(_SETTING, kept)
    return kept
