"""Print the page of all answers."""

import sys

from . import page

sys.stdout.write(page())
