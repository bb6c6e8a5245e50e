"""From an expression tree to positional code: names are erased here."""

from namedtensor.plans.code import Value as Value
from namedtensor.plans.compile import LIBRARY_ERRORS as LIBRARY_ERRORS
from namedtensor.plans.compile import Mismatch as Mismatch
from namedtensor.plans.compile import Plan as Plan
from namedtensor.plans.compile import compile_plan as compile_plan
from namedtensor.plans.compile import retype as retype
from namedtensor.plans.emitter import Emitter as Emitter
from namedtensor.plans.emitter import Lowered as Lowered
from namedtensor.plans.layout import Layout as Layout
from namedtensor.plans.layout import layout_by_number as layout_by_number
from namedtensor.plans.layout import layout_of as layout_of
