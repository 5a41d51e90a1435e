-- A word may hold what nobody sees: soft hyphens, zero-width spaces, word joiners. It is searched for without.
INSERT INTO passages_text (passages_text, rowid, title, text)
SELECT 'delete', key, title, text FROM passages
WHERE instr(title || text, char(173)) OR instr(title || text, char(8203)) OR instr(title || text, char(8288));

INSERT INTO passages_text (rowid, title, text)
SELECT
    key,
    replace(replace(replace(title, char(173), ''), char(8203), ''), char(8288), ''),
    replace(replace(replace(text, char(173), ''), char(8203), ''), char(8288), '')
FROM passages
WHERE instr(title || text, char(173)) OR instr(title || text, char(8203)) OR instr(title || text, char(8288));

DROP TRIGGER passages_added;
CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO passages_text (rowid, title, text) VALUES (
        new.key,
        replace(replace(replace(new.title, char(173), ''), char(8203), ''), char(8288), ''),
        replace(replace(replace(new.text, char(173), ''), char(8203), ''), char(8288), '')
    );
END;
DROP TRIGGER passages_removed;
CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_text (passages_text, rowid, title, text) VALUES (
        'delete',
        old.key,
        replace(replace(replace(old.title, char(173), ''), char(8203), ''), char(8288), ''),
        replace(replace(replace(old.text, char(173), ''), char(8203), ''), char(8288), '')
    );
    DELETE FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key = old.key;
END;
