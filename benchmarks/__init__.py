"""The package's speed and memory beside its peers: ``python -m benchmarks``. See README.md."""
