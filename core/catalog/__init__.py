"""Every part that can be chosen, name to factory, written out by hand: those that read, and those that answer."""
