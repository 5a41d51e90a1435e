"""The window's way to the words in the person's language; the catalogue is the engine's, too."""

from core.text.translation import catalogue, tr, trn

__all__ = ["catalogue", "tr", "trn"]
