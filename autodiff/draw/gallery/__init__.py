"""A page with pictures of forty graphs, to look at after a change: `python -m autodiff.draw.gallery`."""
