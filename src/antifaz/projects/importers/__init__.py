"""Project formats of other programs, read as they are."""
