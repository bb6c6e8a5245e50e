"""What an operation is: its shape rule, lowering, LaTeX, traits, derivative and cost; one table.

A primitive with its parameters is an `Operation`; operations applied to operands make an
expression tree of `Node`s. Eager calls, traced formulas and every reader share both.
"""

from namedtensor.primitives.call import Call as Call
from namedtensor.primitives.node import Argument as Argument
from namedtensor.primitives.node import Node as Node
from namedtensor.primitives.node import argument as argument
from namedtensor.primitives.node import number as number
from namedtensor.primitives.node import size_of as size_of
from namedtensor.primitives.primitive import Operation as Operation
from namedtensor.primitives.primitive import Primitive as Primitive
from namedtensor.primitives.primitive import plain_operation as plain_operation
from namedtensor.primitives.primitive import primitive as primitive
from namedtensor.primitives.primitive import table as table
from namedtensor.primitives.sizes import Size as Size
from namedtensor.primitives.sizes import combine as combine
from namedtensor.primitives.traits import EVERY as EVERY
from namedtensor.primitives.traits import Acts as Acts
from namedtensor.primitives.traits import Cost as Cost
from namedtensor.primitives.traits import Traits as Traits
from namedtensor.primitives.traits import along_first as along_first
from namedtensor.primitives.traits import uses_first as uses_first
from namedtensor.primitives.type import Type as Type
