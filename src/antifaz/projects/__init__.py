"""Projects: a run as one file, its steps, and every use case as one function (`actions`)."""
