"""The site's settings for Sphinx; `python docs/build.py` builds it. Nothing is run and nothing is fetched:
notebooks keep their outputs, and pages on the package are made from its docstrings, in `site_pages/`."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent)]

from site_pages import benchmarks, course, errors, gallery, reference, wrong_answers  # noqa: E402

import autodiff  # noqa: E402

project = "autodiff"
author = "the autodiff authors"
copyright = author  # noqa: A001  Sphinx's name for it
version = release = autodiff.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "site_pages.head",
    "site_pages.mathml",
    "site_pages.picture",
    "site_pages.reference",
]
exclude_patterns = ["site_pages"]

# The pages that are made anew in each build. Git ignores them.
REPOSITORY = os.environ.get("AUTODIFF_REPOSITORY", "")  # "owner/name", which the buttons of the lessons need
course.write(DOCS, REPOSITORY)
reference.write(DOCS)
gallery.write(DOCS)
benchmarks.write(DOCS)
errors.write(DOCS)
wrong_answers.write(DOCS)

# -- notebooks and Markdown --------------------------------------------------------------------------------

nb_execution_mode = "off"
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "text/html", 0), ("html", "image/svg+xml", 10)]
nb_code_prompt_show = nb_code_prompt_hide = "Show the {type}"
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "site_pages.course.slug"
suppress_warnings = ["mystnb.unknown_mime_type"]  # a picture's fallbacks, of which the best is shown

# -- docstrings --------------------------------------------------------------------------------------------

toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # shapes and units stand in the text; Any says nothing
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # as in the source: eps=1e-5, passes=PASSES
nitpicky = True  # a name that leads nowhere is a warning
nitpick_ignore = [("py:exc", "TraceError")]  # a RuntimeError of its own, which is not public
default_role = "code"
napoleon_google_docstring = False
napoleon_use_param = False  # types are words, not links
napoleon_use_rtype = False
napoleon_attr_annotations = False

# -- the look ----------------------------------------------------------------------------------------------

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "autodiff"
html_baseurl = os.environ.get("AUTODIFF_SITE", "")  # where the site will be: "https://…/"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
ALONE = (
    "index", "404", "digits", "names", "gallery", "teacher", "benchmarks", "errors", "writing_lessons",
    "wrong_answers*",
)  # fmt: skip
html_sidebars: dict[str, list[str]] = {page: [] for page in ALONE}  # pages that no section has
