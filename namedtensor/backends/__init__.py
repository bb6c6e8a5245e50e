"""The positional vocabulary over numpy, torch and plain Python numbers.

Emitted code calls the vocabulary's functions by name; each library spells them once, in its own
file. torch is imported only when a torch tensor, dtype or device shows up.
"""

from namedtensor.backends.backend import Backend as Backend
from namedtensor.backends.backend import backend_of as backend_of
from namedtensor.backends.backend import get_backend as get_backend
from namedtensor.backends.backend import not_installed as not_installed
from namedtensor.backends.backend import numpy_backend as numpy_backend
from namedtensor.backends.backend import when_loaded as when_loaded
