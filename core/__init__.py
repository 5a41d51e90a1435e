"""The engine of Clew: no Qt, no window; everything the workbench and the command line can do."""

__version__ = "0.1.0"
