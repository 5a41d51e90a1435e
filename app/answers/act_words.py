"""How decisions of the log are said to people."""

from __future__ import annotations

from app.look.translation import tr, trn
from core.types import ReviewAct

_VERBS = {
    "approve": tr("approved"),
    "reject": tr("rejected"),
    "reopen": tr("opened again"),
    "edit": tr("edited"),
    "add": tr("added"),
    "note": tr("noted"),
    "rename": tr("renamed"),
    "retype": tr("changed the kind"),
    "alias": tr("added a name"),
    "merge": tr("merged"),
    "part": tr("kept apart"),
    "split": tr("split"),
    "propose": tr("proposed"),
    "same": tr("joined names"),
    "different": tr("kept names apart"),
    "leave": tr("left names to the rules"),
    "run": tr("decided on names"),
    "undo": tr("undid"),
    "redo": tr("did again"),
}


def verb_words(act: ReviewAct) -> str:
    return _VERBS.get(act.verb, act.verb)


def act_subject(act: ReviewAct) -> str:
    """On what it decided; of an act that turned another one, what that had done."""
    subject, more = act.subject, act.items - 1
    if more > 0:
        subject = trn("{first} and {count} more", "{first} and {count} more", more, first=subject)
    if not act.about:
        return subject
    if not act.about_verb:  # which a joined log did not bring
        return tr("an earlier decision")
    return tr("{verb}: {subject}", verb=_VERBS.get(act.about_verb, act.about_verb), subject=subject)
