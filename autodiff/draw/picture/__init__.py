"""A graph as a picture: DOT and Mermaid sources, the layout, and the engines that draw."""
