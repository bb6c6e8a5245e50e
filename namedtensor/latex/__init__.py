"""LaTeX of the named tensor notation: read, check, run and print."""
