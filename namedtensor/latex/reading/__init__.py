"""Read text into the syntax of the notation."""
