"""Letters of the font Symbol, which Word and RTF name by their place in it. Adobe Symbol encoding."""

from __future__ import annotations

_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_HIGH = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf8ff〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_LETTERS: dict[int, str] = dict(zip([*range(0x20, 0x7F), *range(0xA0, 0xFF)], _LOW + _HIGH, strict=True))


def symbol(font: str, code: int) -> str:
    """The letter at `code` (or 0xF000 above it) of a font; other fonts' private letters stay as they are."""
    if font.lower() == "symbol":
        return _LETTERS.get(code & 0xFF, "\ufffd")
    return chr(code) if 0 < code < 0x110000 else "\ufffd"
