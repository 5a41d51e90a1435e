"""Prompts: text of documents between marks that it cannot contain, how many tokens there are, and what of them fits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.errors import PromptTooLong
from core.text.translation import tr
from core.types import LeftOut, Message, Role
from core.types.kinds import stable_id

# Tokens that a chat template may put around a message, and around the whole.
PER_MESSAGE = 8
PER_PROMPT = 16
_PIECES = re.compile(r"[a-z]+|[A-Z][a-z]*|[0-9]|[ \t]+|\s|[\x21-\x7e]|[^\x00-\x7f]+|.", re.DOTALL)
_TWO_BYTES = "\u07ff"  # the last sign of two bytes in UTF-8
_LETTERS = 3  # of a word that one token holds at least, nearly always


def estimate(text: str) -> int:
    """Return the tokens of a text, rather too many than too few, for whatever tokenizer the model has.

    Byte-pair vocabularies of 32,000 to 260,000 entries hold common words whole and split names into
    pieces of three letters or more; some write every digit by itself; what is not ASCII may fall
    back to bytes. So: a token for each three letters begun, for each digit, each sign, each line
    break and each run of several spaces; for letters of two bytes (Greek, Cyrillic, accents) one each, for
    those of three and four (Chinese, Japanese, signs) one for each byte.
    """
    tokens = 0
    for piece in _PIECES.findall(text):
        if piece[0].isascii():
            if piece[0].isalpha():
                tokens += -(-len(piece) // _LETTERS)
            elif piece != " ":
                tokens += 1
        else:
            tokens += sum(1 if sign <= _TWO_BYTES else len(sign.encode("utf-8", "replace")) for sign in piece)
    return tokens


class TokenCount:
    """Estimates that learn from what the server counted: only upwards, for too few would cut a prompt.

    A server that counts words, or leaves out what it had cached, tells too little; that is not believed.
    """

    def __init__(self) -> None:
        self._factor = 1.0

    def __call__(self, text: str) -> int:
        return math.ceil(self._factor * estimate(text))

    def learn(self, estimated: int, counted: int) -> None:
        """Learn that the server counted `counted` tokens in a prompt that this had estimated at `estimated`."""
        if counted > estimated > 0:
            self._factor *= 1.05 * counted / estimated


def wrap_untrusted(what: str, text: str, *of: str) -> str:
    """`text` between marks with a number that it cannot hold, for it is a hash of it (or of `of`, what holds it)."""
    begin, end = untrusted_marks(what, *(of or (text,)))
    return f"{begin}\n{text}\n{end}"


def untrusted_marks(what: str, *of: str) -> tuple[str, str]:
    """Return the marks alone, for texts `of` that stand between them one by one."""
    number = stable_id("mark", *of)
    return f"<{what} {number}>", f"</{what} {number}>"


@dataclass(frozen=True, slots=True)
class Packed:
    """What goes on the wire: neighbours of one role joined; `tokens` as estimated, with the template's."""

    messages: tuple[tuple[Role, str], ...]
    left_out: tuple[LeftOut, ...]
    tokens: int


def pack(messages: Sequence[Message], room: int, count: Callable[[str], int]) -> Packed:
    """Leave out by priority until the rest has at most `room` tokens. Raises PromptTooLong."""
    costs = [count(message.text) + PER_MESSAGE for message in messages]
    included = set(range(len(messages)))
    total = sum(costs) + PER_PROMPT
    order = sorted(included, key=lambda i: (-messages[i].priority, -i))
    left: list[LeftOut] = []
    for i in order:
        if total <= room or messages[i].priority <= 0:
            break
        included.discard(i)
        total -= costs[i]
        left.append(LeftOut(messages[i].name or "a part without a name", costs[i]))
    if total > room:
        raise PromptTooLong(
            tr(
                "The prompt has about {total} tokens; the context window has room for {value}.",
                total=total,
                value=max(0, room),
            ),
            tr("Choose a larger context window (models.window) or a model that has one."),
            prompt=rendered(joined(messages)),
        )
    return Packed(joined([messages[i] for i in sorted(included)]), tuple(left), total)


def joined(messages: Sequence[Message]) -> tuple[tuple[Role, str], ...]:
    """Return neighbours of one role as one message."""
    found: list[tuple[Role, list[str]]] = []
    for message in messages:
        if found and found[-1][0] == message.role:
            found[-1][1].append(message.text)
        else:
            found.append((message.role, [message.text]))
    return tuple((role, "\n\n".join(texts)) for role, texts in found)


def rendered(messages: Sequence[tuple[Role, str]]) -> str:
    """Return a prompt as people read it, for the quarantine."""
    return "\n\n".join(f"[{role.value}]\n{text}" for role, text in messages)
