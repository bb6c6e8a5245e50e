"""Find faults, and axes used with a wrong meaning, in Python files, notebooks and documents.

Findings have the form that the checker of LaTeX gives them (`latex.findings`). Python is read by a
worker process (`worker`), which runs nothing but imports, or with `--no-import` nothing at all.
"""
