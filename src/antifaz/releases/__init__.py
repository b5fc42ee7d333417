"""The gate, atomic writing, evidence, report and the record of processing."""
