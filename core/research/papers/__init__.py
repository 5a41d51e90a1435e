"""The papers that Clew implements, place by place: where each equation lives, and a check against its definition."""
