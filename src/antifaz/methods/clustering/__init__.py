"""Local recoding: groups of records are released alike, with no hierarchy needed."""
