"""What readers said: causes named, bounded, harmless on a terminal."""

from __future__ import annotations

from core.errors import DocumentError
from core.ingest.reading_replies import LONGEST_MESSAGE, MOST_RAW, join_output, raw_of, traceback_end


def refused(*causes: BaseException) -> DocumentError:
    """An error that the first cause led to, which the second led to..."""
    error: BaseException = DocumentError("It is damaged.", "Get a new copy.")
    for outer, inner in zip((error, *causes), causes, strict=False):
        outer.__cause__ = inner
    assert isinstance(error, DocumentError)
    return error


def test_messages_that_quote_the_file_are_cut() -> None:
    assert len(raw_of(refused(ValueError("x" * 10_000_000)))) < LONGEST_MESSAGE + 50


def test_of_what_was_printed_the_last_lines_stay() -> None:
    printed = "\n".join(f"line {number}" for number in range(10_000)).encode()
    output = join_output("ValueError: bad", printed)
    lines = output.split("\n")
    assert len(output) <= MOST_RAW and lines[0] == "ValueError: bad" and lines[-1] == "line 9999"
    assert all(line.startswith("line ") for line in lines[1:])
    assert join_output("", b"") == "" and join_output("", b"a\n") == "a" and join_output("a", b" \n") == "a"
    assert join_output("y" * 2 * MOST_RAW, b"printed") == "y" * MOST_RAW


def test_nothing_of_it_commands_a_terminal_or_breaks_the_store() -> None:
    output = join_output("\x1b]0;title\x07 \udc80\0", b"\x1b[2J\xff\r\n\tend")
    assert output == "\\x1b]0;title\\x07 \\udc80\\x00\n\\x1b[2J�\n\tend"
    output.encode("utf-8")


def test_of_a_traceback_the_end_stays() -> None:
    def deep(depth: int) -> None:
        if not depth:
            raise ValueError("at the bottom")
        deep(depth - 1)

    try:
        deep(200)
    except ValueError as error:
        trace = traceback_end(error)
    assert (
        trace.endswith("ValueError: at the bottom") and len(trace) <= MOST_RAW and "deep(depth - 1)" in trace
    )
