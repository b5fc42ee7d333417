"""The version of antifaz, said once."""

VERSION = "0.1.0"
