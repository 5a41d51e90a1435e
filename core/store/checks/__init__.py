"""What must hold in a workspace, a rule each: how to see that it is broken, and how to mend it."""
