"""Pictures and films of graphs, to look at after a change: in `docs`, `python -m site_pages.pictures`."""
