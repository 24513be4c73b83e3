"""What makes the pages of the site that nobody writes: lessons, reference, gallery, benchmarks."""
