"""Mistakes that the command line reports in one line on stderr."""


class G2PError(Exception):
    """Say what went wrong, where, and what to type instead, in one line."""


def reason(error: OSError) -> str:
    """Give the operating system's words for an error, without its number.

    >>> import errno, os
    >>> reason(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    'No space left on device'
    """
    return error.strerror or str(error)
