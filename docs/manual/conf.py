"""What Sphinx is told; `python -m docs.manual` calls it."""

from pathlib import Path

import namedtensor

project = "namedtensor"
version = release = namedtensor.__version__
copyright = "the maintainers of namedtensor-notation"

extensions = ["myst_nb", "docs.manual.mathematics", "docs.manual.excerpts"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
myst_heading_anchors = 4
smartquotes = False  # a prime is no quote
nb_execution_mode = "force"
nb_execution_excludepatterns = ["lectures/*"]  # `make notebooks` ran them
nb_execution_timeout = 60
nb_merge_streams = True
nb_render_markdown_format = "myst"  # what cells of LaTeX show has formulas

html_theme = "furo"
html_title = "namedtensor"
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = False
pygments_dark_style = "a11y-dark"  # furo's own underlines the names of modules
html_search_scorer = str(Path(__file__).parent / "scorer.js")
html_show_search_summary = False  # it would fetch pages, which browsers refuse; see excerpts
