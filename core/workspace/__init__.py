"""The Python API of Clew. What a program does with a workspace begins with `Workspace.open`."""

from core.store.workspace_files import DERIVED
from core.workspace.document_listing import describe_notices, kind_of, summarise_notices
from core.workspace.name_table import NAME_COLUMNS, arrange_names
from core.workspace.private import describe_reason
from core.workspace.workspace import Workspace

__all__ = [
    "DERIVED",
    "NAME_COLUMNS",
    "Workspace",
    "arrange_names",
    "describe_notices",
    "describe_reason",
    "kind_of",
    "summarise_notices",
]
