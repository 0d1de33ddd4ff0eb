"""Closes locked files in forked children, which would otherwise keep stores and folders locked after this process exits."""

import os

from . import _anabranch, _places


def _in_child() -> None:
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for descriptor in (*_anabranch.after_fork(), *_places.locks):
        os.dup2(null, descriptor, inheritable=False)
    os.close(null)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_anabranch.before_fork,
        after_in_parent=_anabranch.after_fork,
        after_in_child=_in_child,
    )
