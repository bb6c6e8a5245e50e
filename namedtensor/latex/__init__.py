"""LaTeX of the named tensor notation: read, check, run and print."""

from namedtensor.latex.document import Document as Document
from namedtensor.latex.failures import LatexError as LatexError
from namedtensor.latex.findings import Finding as Finding
from namedtensor.latex.reading import read as read
from namedtensor.latex.reading import read_file as read_file
