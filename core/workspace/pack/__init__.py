"""Evidence packs: one answer with all that it rests on as a sealed ZIP; its form is told in docs/evidence-pack.md."""
