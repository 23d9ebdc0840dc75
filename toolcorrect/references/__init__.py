"""What a reference asks for beyond a list: matchers, options, optional calls, rules; and its own faults."""
