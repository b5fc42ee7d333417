"""Which people were released, how, and to whom; what a new release and earlier ones give away together."""
