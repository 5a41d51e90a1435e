"""How a workspace came to be: the order of events, and one passage taken apart."""
