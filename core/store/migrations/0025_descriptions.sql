-- What a language model says of a fact in a sentence of its own, where the passage carries that.
ALTER TABLE triples ADD COLUMN description TEXT NOT NULL DEFAULT '';
