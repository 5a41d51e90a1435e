"""Say in words what was not read of a document, or read by a guess."""

from __future__ import annotations

from collections.abc import Sequence

from core.text.translation import tr, trn
from core.types import NOT_READ, Notice, NoticeKind


def describe_notices(notices: Sequence[Notice]) -> list[str]:
    """Return one line for each notice, what was not read first; for people, not yet safe to show as it stands."""
    return [_line(notice) for notice in sorted(notices, key=lambda notice: notice.kind not in NOT_READ)]


def summarise_notices(notices: Sequence[Notice]) -> str:
    """Return a few words for a list of documents: how much was not read, else what was guessed; "" for nothing."""
    left = sum(notice.count for notice in notices if notice.kind in NOT_READ)
    if left:
        return trn("{count} part not read", "{count} parts not read", left)
    return tr("read by a guess") if notices else ""


def _line(notice: Notice) -> str:
    words = _words(notice)
    return tr("{words}: {detail}", words=words, detail=notice.detail) if notice.detail else words


def _words(notice: Notice) -> str:
    count = notice.count
    if notice.kind is NoticeKind.CHART:
        return trn("{count} chart is not read", "{count} charts are not read", count)
    if notice.kind is NoticeKind.FORM:
        return trn("{count} form field is not read", "{count} form fields are not read", count)
    if notice.kind is NoticeKind.ANNOTATION:
        return trn("{count} annotation is not read", "{count} annotations are not read", count)
    if notice.kind is NoticeKind.COMMENT:
        return trn("{count} comment is not read", "{count} comments are not read", count)
    if notice.kind is NoticeKind.FORMULA:
        return trn(
            "{count} formula has no stored value and is not read",
            "{count} formulas have no stored value and are not read",
            count,
        )
    if notice.kind is NoticeKind.PICTURE:
        return trn(
            "{count} picture, which may hold text, is not read",
            "{count} pictures, which may hold text, are not read",
            count,
        )
    if notice.kind is NoticeKind.ALTERNATIVE:
        return tr("The mail has another wording, which is not read")
    if notice.kind is NoticeKind.HIDDEN:
        return trn("{count} hidden part is not read", "{count} hidden parts are not read", count)
    if notice.kind is NoticeKind.ENCODING:
        return tr("The encoding is a guess")
    if notice.kind is NoticeKind.DATE:
        return tr("The text names another date than the file")
    if notice.kind is NoticeKind.ORDER:
        return tr("The order of the text is a guess")
    return trn("{count} part is not read", "{count} parts are not read", count)
