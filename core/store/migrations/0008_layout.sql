-- How far the map reaches is asked after every change: without these, all places are read for it.
CREATE INDEX layout_by_community ON layout (community);
CREATE INDEX layout_by_x ON layout (x);
CREATE INDEX layout_by_y ON layout (y);
