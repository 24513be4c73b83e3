"""Datasets, data loaders and transforms, and some data sets to learn from.

A data loader turns the samples of a dataset into batches; transforms change the samples on the way. Some
data sets are synthetic, some come with scikit-learn, and some are downloaded once. Names and defaults are
PyTorch's.
"""

# `dataset`, `samplers`, `collate` and `loader` turn samples into batches. The data sets are in `generated`,
# `bundled` (with scikit-learn), `mnist` and `text`; `download` and `idx` fetch and read their files.

from . import transforms
from .bundled import digits, iris
from .collate import default_collate, generator
from .dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .download import DownloadError, cache_folder
from .generated import moons, spiral
from .idx import read_idx
from .loader import Batch, BatchIterator, DataLoader
from .mnist import MNIST, FashionMNIST
from .samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .text import Vocabulary, bleu, corpus_bleu, names, ngrams, shakespeare, split_names
from .transforms import (
    Compose,
    Flatten,
    Normalize,
    OneHot,
    RandomCrop,
    RandomHorizontalFlip,
    ToTensor,
    Transform,
)

__all__ = [
    "MNIST",
    "Batch",
    "BatchIterator",
    "BatchSampler",
    "Compose",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DownloadError",
    "FashionMNIST",
    "Flatten",
    "IterableDataset",
    "Normalize",
    "OneHot",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "ToTensor",
    "Transform",
    "Vocabulary",
    "WeightedRandomSampler",
    "bleu",
    "cache_folder",
    "corpus_bleu",
    "default_collate",
    "digits",
    "generator",
    "iris",
    "moons",
    "names",
    "ngrams",
    "random_split",
    "read_idx",
    "shakespeare",
    "spiral",
    "split_names",
    "transforms",
]
