"""Fuzzing: damaged files of every format are read, or refused in a sentence; nothing else."""
