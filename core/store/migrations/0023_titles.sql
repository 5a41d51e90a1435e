-- Titles of reports by themselves: a report is a page long, and titles are listed and searched by all.
CREATE TABLE community_titles (
    community_key INTEGER PRIMARY KEY REFERENCES communities (key) ON DELETE CASCADE,
    title TEXT NOT NULL
) STRICT;
INSERT INTO community_titles
SELECT community_key, json_extract(report, '$.title') FROM community_reports
WHERE iif(json_valid(report), json_type(report, '$.title'), '') = 'text';

CREATE TRIGGER report_written AFTER INSERT ON community_reports BEGIN
    DELETE FROM community_titles WHERE community_key = new.community_key;
    INSERT INTO community_titles SELECT new.community_key, json_extract(new.report, '$.title')
    WHERE iif(json_valid(new.report), json_type(new.report, '$.title'), '') = 'text';
    INSERT INTO settings SELECT 'titles', '0' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'titles');
    UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE name = 'titles';
END;
CREATE TRIGGER report_changed AFTER UPDATE ON community_reports BEGIN
    DELETE FROM community_titles WHERE community_key IN (old.community_key, new.community_key);
    INSERT INTO community_titles SELECT new.community_key, json_extract(new.report, '$.title')
    WHERE iif(json_valid(new.report), json_type(new.report, '$.title'), '') = 'text';
    INSERT INTO settings SELECT 'titles', '0' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'titles');
    UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE name = 'titles';
END;
CREATE TRIGGER report_gone AFTER DELETE ON community_reports BEGIN
    DELETE FROM community_titles WHERE community_key = old.community_key;
    INSERT INTO settings SELECT 'titles', '0' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'titles');
    UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE name = 'titles';
END;
