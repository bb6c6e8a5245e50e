"""python -m docs.manual [FOLDER]: build the manual; with anything wrong, say it and leave with status 1."""

import sys
from pathlib import Path

from docs.manual.building import build
from docs.manual.pages import ROOT

if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT / "build" / "manual"
    said = build(folder)
    print("\n".join(said) or folder / "html" / "index.html")
    sys.exit(1 if said else 0)
