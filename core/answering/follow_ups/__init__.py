"""Follow-ups: questions completed from the turns before them, by rule and parse, or by a language model."""
