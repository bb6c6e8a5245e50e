"""The named tensor notation, executable (Chiang, Rush and Barak, arXiv 2102.13196)."""

import typing as _typing

from namedtensor.axes import Axis as Axis
from namedtensor.axes import axes as axes
from namedtensor.axes import sizes as sizes
from namedtensor.display.diagram import diagram as diagram
from namedtensor.display.show import show as show
from namedtensor.errors import AxisClashError as AxisClashError
from namedtensor.errors import AxisMissingError as AxisMissingError
from namedtensor.errors import AxisNameError as AxisNameError
from namedtensor.errors import AxisSizeError as AxisSizeError
from namedtensor.errors import BackendError as BackendError
from namedtensor.errors import DerivativeError as DerivativeError
from namedtensor.errors import HabitError as HabitError
from namedtensor.errors import IndexRangeError as IndexRangeError
from namedtensor.errors import KindError as KindError
from namedtensor.errors import NamedTensorError as NamedTensorError
from namedtensor.errors import TraceError as TraceError
from namedtensor.errors import WeightsError as WeightsError
from namedtensor.formula import B as B
from namedtensor.formula import Formula as Formula
from namedtensor.formula import R as R
from namedtensor.formula import State as State
from namedtensor.formula import Z as Z
from namedtensor.formula import derivative as derivative
from namedtensor.formula import differential as differential
from namedtensor.formula import each as each
from namedtensor.formula import explain as explain
from namedtensor.formula import formula as formula
from namedtensor.formula import grad as grad
from namedtensor.formula import one as one
from namedtensor.formula.checked import checked as checked
from namedtensor.formula.checked import checks as checks
from namedtensor.formula.formula import debug as debug
from namedtensor.formula.steps import Steps as Steps
from namedtensor.formula.steps import steps as steps
from namedtensor.nn.collate import collate as collate
from namedtensor.nn.groups import parameters as parameters
from namedtensor.nn.summary import Summary as Summary
from namedtensor.nn.summary import summary as summary
from namedtensor.operations.contraction import dot as dot
from namedtensor.operations.creation import cast as cast
from namedtensor.operations.creation import full as full
from namedtensor.operations.creation import ones as ones
from namedtensor.operations.creation import zeros as zeros
from namedtensor.operations.elementwise import abs as abs
from namedtensor.operations.elementwise import acos as acos
from namedtensor.operations.elementwise import acosh as acosh
from namedtensor.operations.elementwise import angle as angle
from namedtensor.operations.elementwise import asin as asin
from namedtensor.operations.elementwise import asinh as asinh
from namedtensor.operations.elementwise import atan as atan
from namedtensor.operations.elementwise import atan2 as atan2
from namedtensor.operations.elementwise import atanh as atanh
from namedtensor.operations.elementwise import cases as cases
from namedtensor.operations.elementwise import cbrt as cbrt
from namedtensor.operations.elementwise import ceil as ceil
from namedtensor.operations.elementwise import clip as clip
from namedtensor.operations.elementwise import conj as conj
from namedtensor.operations.elementwise import copysign as copysign
from namedtensor.operations.elementwise import cos as cos
from namedtensor.operations.elementwise import cosh as cosh
from namedtensor.operations.elementwise import digamma as digamma
from namedtensor.operations.elementwise import elu as elu
from namedtensor.operations.elementwise import erf as erf
from namedtensor.operations.elementwise import erfc as erfc
from namedtensor.operations.elementwise import erfinv as erfinv
from namedtensor.operations.elementwise import exp as exp
from namedtensor.operations.elementwise import exp2 as exp2
from namedtensor.operations.elementwise import expm1 as expm1
from namedtensor.operations.elementwise import floor as floor
from namedtensor.operations.elementwise import gelu as gelu
from namedtensor.operations.elementwise import hardsigmoid as hardsigmoid
from namedtensor.operations.elementwise import hardswish as hardswish
from namedtensor.operations.elementwise import hardtanh as hardtanh
from namedtensor.operations.elementwise import heaviside as heaviside
from namedtensor.operations.elementwise import hypot as hypot
from namedtensor.operations.elementwise import imag as imag
from namedtensor.operations.elementwise import inf as inf
from namedtensor.operations.elementwise import isclose as isclose
from namedtensor.operations.elementwise import isfinite as isfinite
from namedtensor.operations.elementwise import isinf as isinf
from namedtensor.operations.elementwise import isnan as isnan
from namedtensor.operations.elementwise import leaky_relu as leaky_relu
from namedtensor.operations.elementwise import lerp as lerp
from namedtensor.operations.elementwise import lgamma as lgamma
from namedtensor.operations.elementwise import log as log
from namedtensor.operations.elementwise import log1p as log1p
from namedtensor.operations.elementwise import log2 as log2
from namedtensor.operations.elementwise import log10 as log10
from namedtensor.operations.elementwise import logaddexp as logaddexp
from namedtensor.operations.elementwise import logical_and as logical_and
from namedtensor.operations.elementwise import logical_not as logical_not
from namedtensor.operations.elementwise import logical_or as logical_or
from namedtensor.operations.elementwise import logical_xor as logical_xor
from namedtensor.operations.elementwise import logit as logit
from namedtensor.operations.elementwise import logsigmoid as logsigmoid
from namedtensor.operations.elementwise import maximum as maximum
from namedtensor.operations.elementwise import minimum as minimum
from namedtensor.operations.elementwise import mish as mish
from namedtensor.operations.elementwise import nan_to_num as nan_to_num
from namedtensor.operations.elementwise import pi as pi
from namedtensor.operations.elementwise import real as real
from namedtensor.operations.elementwise import reciprocal as reciprocal
from namedtensor.operations.elementwise import relu as relu
from namedtensor.operations.elementwise import relu6 as relu6
from namedtensor.operations.elementwise import round as round
from namedtensor.operations.elementwise import rsqrt as rsqrt
from namedtensor.operations.elementwise import selu as selu
from namedtensor.operations.elementwise import sigmoid as sigmoid
from namedtensor.operations.elementwise import sign as sign
from namedtensor.operations.elementwise import silu as silu
from namedtensor.operations.elementwise import sin as sin
from namedtensor.operations.elementwise import sinc as sinc
from namedtensor.operations.elementwise import sinh as sinh
from namedtensor.operations.elementwise import softplus as softplus
from namedtensor.operations.elementwise import softsign as softsign
from namedtensor.operations.elementwise import sqrt as sqrt
from namedtensor.operations.elementwise import square as square
from namedtensor.operations.elementwise import tan as tan
from namedtensor.operations.elementwise import tanh as tanh
from namedtensor.operations.elementwise import trunc as trunc
from namedtensor.operations.elementwise import where as where
from namedtensor.operations.index_defined import define as define
from namedtensor.operations.index_defined import eye as eye
from namedtensor.operations.index_defined import iota as iota
from namedtensor.operations.index_defined import one_hot as one_hot
from namedtensor.operations.indexing import from_front as from_front
from namedtensor.operations.indexing import index as index
from namedtensor.operations.indexing import scatter as scatter
from namedtensor.operations.joining import concat as concat
from namedtensor.operations.joining import split as split
from namedtensor.operations.joining import stack as stack
from namedtensor.operations.joining import unstack as unstack
from namedtensor.operations.lifting import lift as lift
from namedtensor.operations.matrices import cholesky as cholesky
from namedtensor.operations.matrices import cholesky_solve as cholesky_solve
from namedtensor.operations.matrices import det as det
from namedtensor.operations.matrices import diag as diag
from namedtensor.operations.matrices import eig as eig
from namedtensor.operations.matrices import eigh as eigh
from namedtensor.operations.matrices import eigvalsh as eigvalsh
from namedtensor.operations.matrices import inv as inv
from namedtensor.operations.matrices import lstsq as lstsq
from namedtensor.operations.matrices import matrix_exp as matrix_exp
from namedtensor.operations.matrices import pinv as pinv
from namedtensor.operations.matrices import qr as qr
from namedtensor.operations.matrices import slogdet as slogdet
from namedtensor.operations.matrices import solve as solve
from namedtensor.operations.matrices import solve_triangular as solve_triangular
from namedtensor.operations.matrices import svd as svd
from namedtensor.operations.matrices import svdvals as svdvals
from namedtensor.operations.matrices import trace as trace
from namedtensor.operations.ordering import argmaxk as argmaxk
from namedtensor.operations.ordering import argmaxk_index as argmaxk_index
from namedtensor.operations.ordering import argmink as argmink
from namedtensor.operations.ordering import argmink_index as argmink_index
from namedtensor.operations.ordering import argsort as argsort
from namedtensor.operations.ordering import dispatch as dispatch
from namedtensor.operations.ordering import maxk as maxk
from namedtensor.operations.ordering import mink as mink
from namedtensor.operations.ordering import nonzero as nonzero
from namedtensor.operations.ordering import sort as sort
from namedtensor.operations.ordering import unique as unique
from namedtensor.operations.random import bernoulli as bernoulli
from namedtensor.operations.random import beta as beta
from namedtensor.operations.random import categorical as categorical
from namedtensor.operations.random import choice as choice
from namedtensor.operations.random import exponential as exponential
from namedtensor.operations.random import gamma as gamma
from namedtensor.operations.random import gumbel as gumbel
from namedtensor.operations.random import laplace as laplace
from namedtensor.operations.random import normal as normal
from namedtensor.operations.random import permutation as permutation
from namedtensor.operations.random import poisson as poisson
from namedtensor.operations.random import randint as randint
from namedtensor.operations.random import uniform as uniform
from namedtensor.operations.recurrence import associative_scan as associative_scan
from namedtensor.operations.recurrence import fold as fold
from namedtensor.operations.recurrence import scan as scan
from namedtensor.operations.reductions import all as all
from namedtensor.operations.reductions import any as any
from namedtensor.operations.reductions import argmax_index as argmax_index
from namedtensor.operations.reductions import argmin_index as argmin_index
from namedtensor.operations.reductions import count as count
from namedtensor.operations.reductions import logsumexp as logsumexp
from namedtensor.operations.reductions import max as max
from namedtensor.operations.reductions import mean as mean
from namedtensor.operations.reductions import median as median
from namedtensor.operations.reductions import min as min
from namedtensor.operations.reductions import nanmean as nanmean
from namedtensor.operations.reductions import nansum as nansum
from namedtensor.operations.reductions import norm as norm
from namedtensor.operations.reductions import prod as prod
from namedtensor.operations.reductions import quantile as quantile
from namedtensor.operations.reductions import std as std
from namedtensor.operations.reductions import sum as sum
from namedtensor.operations.reductions import var as var
from namedtensor.operations.training import training as training
from namedtensor.operations.training import update as update
from namedtensor.operations.vectors import argmax as argmax
from namedtensor.operations.vectors import argmin as argmin
from namedtensor.operations.vectors import cummax as cummax
from namedtensor.operations.vectors import cummin as cummin
from namedtensor.operations.vectors import cumprod as cumprod
from namedtensor.operations.vectors import cumsum as cumsum
from namedtensor.operations.vectors import dropout as dropout
from namedtensor.operations.vectors import flip as flip
from namedtensor.operations.vectors import log_softmax as log_softmax
from namedtensor.operations.vectors import logcumsumexp as logcumsumexp
from namedtensor.operations.vectors import roll as roll
from namedtensor.operations.vectors import softmax as softmax
from namedtensor.operations.vectors import standardize as standardize
from namedtensor.operations.windows import overlap_add as overlap_add
from namedtensor.operations.windows import pad as pad
from namedtensor.operations.windows import pool as pool
from namedtensor.operations.windows import unroll as unroll
from namedtensor.operations.windows import upsample as upsample
from namedtensor.shape import Shape as Shape
from namedtensor.tensor import NamedTensor as NamedTensor
from namedtensor.tensor import tensor as tensor
from namedtensor.weights import load as load
from namedtensor.weights import save as save

if _typing.TYPE_CHECKING:
    from namedtensor.nn.module import FormulaModule

    Module = FormulaModule

__version__ = "0.1.0"


def _answer_wrong_calls() -> None:
    """Let every public function, and what is called of a tensor, answer a wrong call in our words."""
    from namedtensor.nn.collate import Collated
    from namedtensor.operations.lifting import Lift
    from namedtensor.tensor.gradients import Gradients
    from namedtensor.tensor.held import Held
    from namedtensor.tensor.updates import At
    from namedtensor.tensor.wrong_calls import answer_for, answer_for_methods

    answer_for(globals(), but=["formula"])  # which looks at the frame that calls it
    answer_for_methods(Held, "X.{}", "size")
    answer_for_methods(NamedTensor, "X.{}", "numpy", "torch", "to", "item", "rearrange")
    answer_for_methods(Gradients, "X.{}", "requires_grad_", "backward", "detach")
    answer_for_methods(At, "X.at[...].{}", "set", "add", "multiply", "min", "max")
    answer_for_methods(Lift, "lift", "__call__")
    answer_for_methods(Collated, "collate[...]", "__call__")


_answer_wrong_calls()


def __getattr__(name: str) -> object:
    """Load `nt.latex`, `nt.testing`, `nt.Module` and what `%load_ext namedtensor` asks for."""
    if name == "Module":
        from namedtensor.nn.module import FormulaModule

        return FormulaModule
    if name in ("latex", "testing"):
        import importlib

        return importlib.import_module(f"namedtensor.{name}")
    if name == "load_ipython_extension":
        from namedtensor.display.magic import load

        return load
    if name.startswith("_"):  # what protocols ask for
        raise AttributeError(f"module 'namedtensor' has no attribute {name!r}")
    from namedtensor.tensor.habits import not_public

    raise not_public(name)
