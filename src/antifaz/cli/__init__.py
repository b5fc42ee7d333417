"""The command line: it calls `projects.actions` and shows what comes back."""
