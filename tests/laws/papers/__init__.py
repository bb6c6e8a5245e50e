"""Documents drawn at random, with what a reader of mathematics takes them to say."""
