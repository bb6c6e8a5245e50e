"""Trees as LaTeX: names for parts, expressions with the parentheses they need, two dialects."""
