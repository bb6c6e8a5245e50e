"""The colours of pictures: one for each axis name, the same in every picture, legible on light and dark."""

from __future__ import annotations

from namedtensor.axes import shown

#: Names of the notation, whose colours (hue, saturation, lightness) are the same in every process.
_USUAL = {
    "seq": (215, 75, 54),
    "seq'": (150, 65, 36),
    "emb": (32, 85, 47),
    "hid": (275, 60, 60),
    "hid'": (195, 80, 42),
    "key": (178, 75, 36),
    "val": (80, 65, 35),
    "head": (318, 60, 54),
    "batch": (220, 8, 52),
    "vocab": (48, 90, 40),
    "layer": (245, 60, 66),
    "chans": (24, 60, 42),
    "chans'": (262, 60, 62),
    "kernel": (165, 70, 36),
    "height": (228, 60, 62),
    "width": (100, 50, 38),
    "kh": (292, 55, 58),
    "kw": (190, 80, 38),
}
_TURN = 137.508  # degrees: the golden angle keeps any number of hues apart
_colours = {name: f"hsl({h} {s}% {light}%)" for name, (h, s, light) in _USUAL.items()}


def colour_of(axis: str) -> str:
    """Give the colour of an axis name; names that are not usual get the next one when first met."""
    name = shown(axis)
    if name not in _colours:
        place = len(_colours) - len(_USUAL)
        hue = 25 + (100 + place * _TURN) % 310  # no red, which means a fault
        # yellow and green look lighter than blue at the same lightness
        _colours[name] = f"hsl({hue:.0f} 65% {38 if 45 <= hue <= 190 else 56}%)"
    return _colours[name]
