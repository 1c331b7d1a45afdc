"""The site of the Python package: `sphinx-build apps/python/docs FOLDER`."""

import galilei

project = "Galilei for Python"
author = "the authors of Galilei"
release = version = galilei.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["dollarmath"]
# Links of other files of the repository are links to files.
suppress_warnings = ["myst.xref_missing"]
# No network is needed: objects of other projects are not linked.
intersphinx_mapping: dict[str, tuple[str, None]] = {}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True, "show-inheritance": True}
html_theme = "furo"
html_title = "Galilei for Python"
exclude_patterns = ["_build"]
