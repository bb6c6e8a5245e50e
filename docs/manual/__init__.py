"""Build the manual: the pages of docs/, the notebooks, and a reference that is written from the code.

    python -m docs.manual        # or make manual

`pages` lays the sources out, `reference` and `faults` write what the code knows, Sphinx makes HTML of it
with `conf` and `mathematics`, and `checks` reads that HTML again.
"""
