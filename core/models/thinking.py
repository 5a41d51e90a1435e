"""Keeps what a model thinks aloud out of what it says."""

from __future__ import annotations

import re

_OPEN = re.compile(r"\s*<(think|thinking|thought)>", re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "<thought>")
_CLOSE = re.compile(r"</(think|thinking|thought)>\s*", re.IGNORECASE)


class ThinkingFilter:
    """Takes a reply piece by piece; gives the pieces that belong to the answer.

    Only a tag at the very beginning opens: further on it is text, perhaps quoted from a document.
    `may_begin_inside` is for models that are known to think: templates may have opened the tag in the
    prompt, and then a closing tag alone says that everything before it was thinking.
    """

    def __init__(self, may_begin_inside: bool = False) -> None:
        self._raw = ""
        self._inside: bool | None = None  # None: too little was read to know
        self._may_begin_inside = may_begin_inside
        self.thinking = ""
        self.text = ""
        self.restarted = False  # what was given out as answer proved to be thinking

    def feed(self, piece: str) -> str:
        """What of the answer came in with this piece; "" while the model thinks."""
        self._raw += piece
        if self._inside is None:
            self._inside = self._opened()
            if self._inside is None:
                return ""
        if self._inside:
            return self._leave()
        if self._may_begin_inside and (end := _CLOSE.search(self._raw)):
            self._may_begin_inside = False
            self.thinking, self.text = self._raw[: end.start()].strip(), ""
            self._raw = self._raw[end.end() :]
            self.restarted = True
        new = self._raw[len(self.text) :]
        self.text += new
        return new

    def close(self) -> str:
        """The reply is complete: what was still held back of the answer."""
        if self._inside is None:
            self._inside = False
            self.text = self._raw
            return self.text
        if self._inside:
            self.thinking = _OPEN.sub("", self._raw, count=1).strip()
        return ""

    def _opened(self) -> bool | None:
        begin = self._raw.lstrip()
        if _OPEN.match(begin):
            return True
        undecided = not begin or any(tag.startswith(begin.lower()) for tag in _TAGS)
        return None if undecided else False

    def _leave(self) -> str:
        end = _CLOSE.search(self._raw)
        if end is None:
            return ""
        self.thinking = _OPEN.sub("", self._raw[: end.start()], count=1).strip()
        self._raw = self._raw[end.end() :]
        self._inside, self._may_begin_inside = False, False
        self.text = self._raw
        return self.text
