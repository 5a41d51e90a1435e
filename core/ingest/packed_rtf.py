"""Unpacks the RTF of Outlook's messages. [MS-OXRTFCP] 2.2."""

from __future__ import annotations

import struct

PACKED, PLAIN = b"LZFu", b"MELA"
HEADER = struct.Struct("<II4sI")  # size of what follows, size unpacked, kind, checksum
RING = 4096
MOST = 20_000_000  # bytes of text; more is no letter
# What the ring holds at the start: words that most RTF begins with.
BEGIN = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n" + rb"\par "
    rb"\pard\plain\f0\fs20\b\i\u\tab\tx"
)


def unpacked_rtf(data: bytes) -> bytes:
    """The RTF, as far as it is whole; b"" when it is none."""
    if len(data) < HEADER.size:
        return b""
    _, size, kind, _ = HEADER.unpack_from(data)
    if kind == PLAIN:
        return data[HEADER.size :][: min(size, MOST)]
    return _unpacked(data[HEADER.size :], min(size, MOST)) if kind == PACKED else b""


def _unpacked(data: bytes, size: int) -> bytes:
    """Bytes as they are, and references (12 bits of place, 4 of length) into the last 4096."""
    out = bytearray(BEGIN)
    end = size + len(BEGIN)
    at = 0
    while at < len(data) and len(out) < end:
        flags, at = data[at], at + 1
        for bit in range(8):
            if not flags >> bit & 1:
                out += data[at : at + 1]
                at += 1
                continue
            reference = int.from_bytes(data[at : at + 2], "big")
            place, length = reference >> 4, (reference & 15) + 2
            at += 2
            back = (len(out) - place) % RING
            if at > len(data) or not back or back > len(out):  # at its own place: the end
                return bytes(out[len(BEGIN) : end])
            for _ in range(length):
                out.append(out[-back])
    return bytes(out[len(BEGIN) : end])
