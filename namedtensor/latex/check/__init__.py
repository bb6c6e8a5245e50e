"""Check documents: report each fault once, at its cause, in the words of the notation."""
