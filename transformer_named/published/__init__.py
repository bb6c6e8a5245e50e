"""Published models as members of families, with their weights: formulas, models, names, and two demos."""
