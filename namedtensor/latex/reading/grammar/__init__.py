"""The grammar of formulas: from the tokens of one statement to its syntax tree."""
