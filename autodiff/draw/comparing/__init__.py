"""`compare`: a reader's gradients beside the package's."""
