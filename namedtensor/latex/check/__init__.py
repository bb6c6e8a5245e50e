"""Check documents: each fault once, where it is made, in the words of the notation."""
