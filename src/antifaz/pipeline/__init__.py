"""A run as a list of named steps: plan, prepare, decide, apply, write, verify, attack, describe, publish."""
