"""The operations, one file for each section of the paper; importing them fills the table."""

from namedtensor.operations import calculus as calculus
from namedtensor.operations import contraction as contraction
from namedtensor.operations import creation as creation
from namedtensor.operations import elementwise as elementwise
from namedtensor.operations import index_defined as index_defined
from namedtensor.operations import indexing as indexing
from namedtensor.operations import joining as joining
from namedtensor.operations import lifting as lifting
from namedtensor.operations import matrices as matrices
from namedtensor.operations import ordering as ordering
from namedtensor.operations import random as random
from namedtensor.operations import recurrence as recurrence
from namedtensor.operations import reductions as reductions
from namedtensor.operations import renaming as renaming
from namedtensor.operations import vectors as vectors
from namedtensor.operations import windows as windows
