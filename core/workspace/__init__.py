"""The Python API of Clew. What a program does with a workspace begins with `Workspace.open`."""

from core.document_listing import kind_of
from core.store.workspace_files import DERIVED
from core.workspace.workspace import Workspace

__all__ = ["DERIVED", "Workspace", "kind_of"]
