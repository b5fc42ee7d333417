"""The shared words: roles, types, schema, recoding, verdicts, errors, randomness, declarations."""
