"""The verbs of the engines, written once over a small set of SQL expressions; `dialects` hold what differs."""
