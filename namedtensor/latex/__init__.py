"""LaTeX of the named tensor notation: read, check, run and print."""

from namedtensor.latex.documents.document import Document as Document
from namedtensor.latex.documents.failures import LatexError as LatexError
from namedtensor.latex.documents.opening import read as read
from namedtensor.latex.documents.opening import read_file as read_file
from namedtensor.latex.findings import Finding as Finding
