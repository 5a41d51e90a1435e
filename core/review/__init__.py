"""What people decide on facts, and what follows from it."""
