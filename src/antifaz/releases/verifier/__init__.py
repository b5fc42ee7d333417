"""The second opinion: judge a recounted table against the privacy asked for, with code that nothing else uses."""
