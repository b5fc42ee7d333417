"""Where rows live: the same few verbs on the local machine, in a database, on Spark."""
