"""Building what is handed out, and trying it as a stranger would: `make package`."""
