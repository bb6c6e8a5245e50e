"""Grapheme to phoneme on CMUdict: spelling in, pronunciation out."""
