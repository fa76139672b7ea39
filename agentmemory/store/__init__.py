"""The one SQLite file: schema, rows and transactions. Knows nothing of learning or ranking."""
