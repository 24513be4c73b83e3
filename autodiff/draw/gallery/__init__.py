"""Pictures and films of graphs, to look at after a change: `python -m autodiff.draw.gallery`."""
