"""One panel a file: each takes the session and listens to it."""
