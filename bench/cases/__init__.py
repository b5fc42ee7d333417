"""One file per group of cases; every module here is loaded, and its `@case` functions are registered."""
