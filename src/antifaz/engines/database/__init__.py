"""The engine for rows in a database: counted, recoded and checked by the server itself."""
