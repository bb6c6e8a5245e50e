"""The pages of the manual, what builds it, and the page to play on."""
