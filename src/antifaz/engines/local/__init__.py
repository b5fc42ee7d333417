"""The local engine: DuckDB and Arrow on this machine."""
