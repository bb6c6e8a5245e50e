"""Named tensors: data with axes, and the one door through which every operation goes."""

from namedtensor.backends import when_loaded
from namedtensor.tensor import brackets as _brackets
from namedtensor.tensor import convert as _convert
from namedtensor.tensor import patterns as _patterns
from namedtensor.tensor.apply import apply as apply
from namedtensor.tensor.apply import operand as operand
from namedtensor.tensor.apply import plan_by_codes as plan_by_codes
from namedtensor.tensor.named import Contraction as Contraction
from namedtensor.tensor.named import NamedTensor as NamedTensor
from namedtensor.tensor.named import hold_named as hold_named
from namedtensor.tensor.named import tensor as tensor
from namedtensor.tensor.symbolic import SymbolicTensor as SymbolicTensor
from namedtensor.tensor.symbolic import symbol as symbol
from namedtensor.tensor.symbolic import tracing as tracing


def _register_with_torch() -> None:
    from namedtensor.tensor.torch_pytree import register

    register()


when_loaded("torch", _register_with_torch)
