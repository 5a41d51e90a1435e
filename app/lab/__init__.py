"""The lab: ways of retrieving as blocks, compared on questions of one's own."""
