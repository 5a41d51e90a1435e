-- The language of documents and passages as ISO 639 has it; '' where nothing tells.
ALTER TABLE documents ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE passages ADD COLUMN language TEXT NOT NULL DEFAULT '';
