"""numpy, imported when something of it is first asked for.

Reading, checking, printing and drawing a formula need no numbers, and so no numpy: they start faster, and run
where it cannot be installed, as in a browser. Files write `np` as usual; whether a value is numpy's
is asked with `is_array` and `is_scalar`, which import nothing: whoever made the value has.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeGuard

__all__ = ["is_array", "is_number", "is_scalar", "np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Numpy:
        """Import numpy when an attribute is first read, and keep the attribute."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            found = self.__dict__[name] = getattr(numpy, name)
            return found

    np = _Numpy()


def is_array(value: Any) -> bool:
    """Say whether a value is an array or a scalar of numpy.

    >>> import numpy as np
    >>> is_array(np.zeros(3)), is_array(np.float32(1.0)), is_array(1.0)
    (True, True, False)
    """
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def is_scalar(value: Any) -> TypeGuard[np.generic]:
    """Say whether a value is a scalar of numpy.

    >>> import numpy as np
    >>> is_scalar(np.float32(1.0)), is_scalar(np.zeros(3)), is_scalar(1.0)
    (True, False, False)
    """
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def is_number(value: Any) -> TypeGuard[bool | int | float | complex | np.generic]:
    """Say whether a value is a number of Python or of numpy.

    >>> import numpy as np
    >>> is_number(1j), is_number(np.float32(1.0)), is_number("1")
    (True, True, False)
    """
    return isinstance(value, (bool, int, float, complex)) or is_scalar(value)
