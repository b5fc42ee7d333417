"""Work that a service keeps for people: data sets, jobs, what runs released, and erasing all of it."""
