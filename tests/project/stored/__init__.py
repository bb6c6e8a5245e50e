"""Files that version 0.1 wrote, which every later version must read.

    python -c "from tests.project.stored.write import write_all; write_all()"

They are written once for a version, and never changed afterwards.
"""
