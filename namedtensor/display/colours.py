"""The colours of pictures: one for each axis name, the same in every picture, legible on light and dark."""

from __future__ import annotations

from colorsys import hls_to_rgb

from namedtensor.axes import shown

#: Names of the notation, whose hue and saturation are the same in every process.
_USUAL = {
    "seq": (215, 80),
    "seq'": (143, 75),
    "emb": (30, 100),
    "hid": (275, 60),
    "hid'": (200, 95),
    "key": (188, 95),
    "val": (80, 80),
    "head": (318, 65),
    "batch": (220, 8),
    "vocab": (50, 100),
    "layer": (245, 60),
    "chans": (18, 60),
    "chans'": (262, 60),
    "kernel": (165, 85),
    "height": (228, 60),
    "width": (105, 60),
    "kh": (292, 55),
    "kw": (180, 85),
}
_TURN = 137.508  # degrees: the golden angle keeps any number of hues apart
_LUMINANCE = 0.19  # as far from white as from the black of dark pages: letters need 4 times either


def _coloured(hue: float, saturation: float) -> str:
    """Write a colour, as light as letters on any page may be: yellow looks lighter than blue does."""
    lightness = next(
        percent for percent in range(100) if _luminance(hue, saturation, percent) >= _LUMINANCE
    )
    return f"hsl({hue:.0f} {saturation:.0f}% {lightness}%)"


def _luminance(hue: float, saturation: float, lightness: float) -> float:
    """Measure how bright a colour is for the eye, from 0 to 1, as WCAG defines it."""
    parts = hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


#: The colours of names that were met.
_colours: dict[str, str] = {}


def colour_of(axis: str) -> str:
    """Give the colour of an axis name; names that are not usual get the next one when first met."""
    name = shown(axis)
    if name not in _colours:
        place = len(_colours.keys() - _USUAL.keys())
        hue = 25 + (100 + place * _TURN) % 310  # no red, which means a fault
        _colours[name] = _coloured(*_USUAL.get(name, (hue, 65)))
    return _colours[name]
