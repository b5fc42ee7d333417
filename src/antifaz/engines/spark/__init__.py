"""Spark: the same verbs on a cluster, for data that outgrows one machine."""
