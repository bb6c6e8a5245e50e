"""All formulas of transformer_named, by module and name."""

import importlib
import pkgutil

import transformer_named
from namedtensor.formula.formula import Formula


def _formulas():
    for module in pkgutil.iter_modules(transformer_named.__path__):
        if module.ispkg or module.name.startswith("_"):
            continue
        for name, value in vars(
            importlib.import_module(f"transformer_named.{module.name}")
        ).items():
            if isinstance(value, Formula) and value.function.__module__.endswith(f".{module.name}"):
                yield f"{module.name}.{name}", value


FORMULAS = dict(_formulas())
