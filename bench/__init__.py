"""Measures antifaz side by side with what people would use instead; results are ratios, not seconds."""
