"""The oracle: the notation paper's definitions, executed literally over records.

Source: Chiang, Rush and Barak, Named Tensor Notation (arXiv 2102.13196). A tensor here is a
dictionary from records, frozen sets of (axis, index) pairs, to Python numbers. Nothing in this
room uses the rest of the package except at its boundary, so that the two can be held against
each other. It is slow, and meant to be obviously right. Indices count from 0.

    definitions["softmax"](X, ["seq"])       the definition behind nt.softmax[seq](X)
    assert_same(X, Y), assert_close(X, Y)    equality of named tensors, whatever their axis order
"""

from namedtensor.testing.boundary import from_named as from_named
from namedtensor.testing.boundary import to_named as to_named
from namedtensor.testing.comparison import assert_close as assert_close
from namedtensor.testing.comparison import assert_same as assert_same
from namedtensor.testing.definitions import definitions as definitions
from namedtensor.testing.lifting import lift as lift
from namedtensor.testing.lifting import partial as partial
from namedtensor.testing.records import Record as Record
from namedtensor.testing.records import RecordTensor as RecordTensor
from namedtensor.testing.records import record as record
from namedtensor.testing.records import records as records
