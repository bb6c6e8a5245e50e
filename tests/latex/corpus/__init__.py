"""Documents in the notation, and independent computations of what their formulas give.

Each subject is a document, `subject.md` or `subject.tex`, and a table `subject.py` whose ENTRIES
say for each formula its arguments and what it must give, computed over positions with numpy.
"""
