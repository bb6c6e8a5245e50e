"""torch modules made from signatures."""
