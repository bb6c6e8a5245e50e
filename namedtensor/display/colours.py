"""The colours of pictures: one for each axis name, the same in every picture, legible on light and dark."""

from __future__ import annotations

from namedtensor.axes import shown

#: Names of the notation, whose colours are the same in every process; others follow as they are met.
_USUAL = (
    "seq emb key head val hid seq' batch vocab layer chans kernel height width chans' kh kw "
    "height' width' state row col class time x y"
).split()
_TURN = 137.508  # degrees: the golden angle keeps any number of hues apart
_places = {name: place for place, name in enumerate(_USUAL)}


def colour_of(axis: str) -> str:
    """Give the colour of an axis name."""
    place = _places.setdefault(shown(axis), len(_places))
    hue = 25 + (190 + place * _TURN) % 310  # no red, which means a fault
    # yellow and green look lighter than blue at the same lightness
    light = 40 if 45 <= hue <= 190 else 54
    return f"hsl({hue:.0f} 62% {light}%)"
