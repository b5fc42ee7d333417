"""Recoding by hierarchies: a value is replaced by something more general that covers it."""
