"""antifaz: share data about people without giving the people away."""

__version__ = "0.1.0"
