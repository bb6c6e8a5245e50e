"""What the names of a document mean, and the formulas that it defines."""
