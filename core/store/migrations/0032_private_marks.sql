-- A mark has no name, and nobody is told apart who sees it: what any mark covered is private to all others.
DROP TABLE profiles;

-- Dropping a table deletes what refers to its rows: that is put aside, and put back.
CREATE TEMP TABLE old_marks AS SELECT key, path FROM private_marks;
CREATE TEMP TABLE old_places AS SELECT * FROM private_places;
CREATE TEMP TABLE old_texts AS SELECT * FROM private_texts;
CREATE TEMP TABLE old_prints AS SELECT * FROM private_prints;
CREATE TEMP TABLE old_contents AS SELECT * FROM private_contents;
CREATE TEMP TABLE old_releases AS SELECT * FROM private_releases;
DROP TABLE private_marks;
-- A document by its path, or a folder with all that lies in it; '' is every document. Nothing here points at a
-- document, so that it outlives every indexing. A path that had marks of several names has several rows.
CREATE TABLE private_marks (key INTEGER PRIMARY KEY, path TEXT NOT NULL) STRICT;
INSERT INTO private_marks SELECT key, path FROM old_marks;
INSERT INTO private_places SELECT * FROM old_places;
INSERT INTO private_texts SELECT * FROM old_texts;
INSERT INTO private_prints SELECT * FROM old_prints;
INSERT INTO private_contents SELECT * FROM old_contents;
INSERT INTO private_releases SELECT * FROM old_releases;
DROP TABLE old_marks;
DROP TABLE old_places;
DROP TABLE old_texts;
DROP TABLE old_prints;
DROP TABLE old_contents;
DROP TABLE old_releases;
