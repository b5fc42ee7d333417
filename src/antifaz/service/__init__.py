"""What a server needs and a command does not: data sets, jobs, workers, the vault."""
