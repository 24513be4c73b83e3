"""Training: a Model trains a network with a loss and an optimizer; metrics measure it, callbacks observe it.

>>> import autodiff as ad
>>> from autodiff import data, nn, optim, training
>>> ad.seed(0)
>>> x, y = data.moons(200, seed=0)
>>> loader = data.DataLoader(data.TensorDataset(x, y), batch_size=20, shuffle=True)
>>> net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
>>> model = training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=0.05))
>>> history = model.fit(loader, epochs=10, metrics=[training.accuracy])
>>> history["accuracy"][-1] > 0.95
True
"""

from ..living.playground import playground
from . import export, parallel
from .callbacks import BestCheckpoint, Callback, CSVLogger, EarlyStopping
from .history import History
from .metrics import (
    accuracy,
    confusion_matrix,
    explained_variance,
    f1,
    log_loss,
    mae,
    mse,
    plot_confusion,
    precision,
    r2,
    recall,
    roc_auc,
    top_k_accuracy,
)
from .model import Model
from .runs import load_run, save_run
from .saving import load_weights, save_weights

__all__ = [
    "BestCheckpoint",
    "CSVLogger",
    "Callback",
    "EarlyStopping",
    "History",
    "Model",
    "accuracy",
    "confusion_matrix",
    "explained_variance",
    "export",
    "f1",
    "load_run",
    "load_weights",
    "log_loss",
    "mae",
    "mse",
    "parallel",
    "playground",
    "plot_confusion",
    "precision",
    "r2",
    "recall",
    "roc_auc",
    "save_run",
    "save_weights",
    "top_k_accuracy",
]
