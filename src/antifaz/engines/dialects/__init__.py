"""What each kind of database says in its own way, one file each."""
