"""Programs beside scikit-learn: the same models, and this package inside of its tools."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim, training
from autodiff.nn import functional as F  # noqa: N812

pytest.importorskip("sklearn")
from sklearn import (
    base,
    datasets,
    decomposition,
    linear_model,
    metrics,
    model_selection,
    pipeline,
    preprocessing,
)


@pytest.fixture(scope="module")
def cancer():
    x, y = datasets.load_breast_cancer(return_X_y=True)
    return preprocessing.StandardScaler().fit_transform(x)[:, :6], y


def test_a_logistic_regression_has_the_same_coefficients(cancer):
    x, y = cancer
    theirs = linear_model.LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(x, y)
    w, b = ad.Tensor(np.zeros(6)), ad.Tensor(0.0)
    optimizer = optim.LBFGS([w, b], max_iter=200, tolerance_grad=1e-10, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(x @ w + b, y.astype(float), reduction="sum")
        loss = loss + (w * w).sum() / 2
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(w.data, theirs.coef_[0], atol=1e-4)
    assert float(b) == pytest.approx(theirs.intercept_[0], abs=1e-4)


def test_ridge_regression_by_newton_s_step():
    x, y = datasets.load_diabetes(return_X_y=True)
    loss = lambda w: ((x @ w - y) ** 2).sum() + 0.5 * (w**2).sum()
    start = np.zeros(10)
    w = start - np.linalg.solve(ad.hessian(loss)(start), ad.grad(loss)(start))
    theirs = linear_model.Ridge(alpha=0.5, fit_intercept=False).fit(x, y)
    np.testing.assert_allclose(w, theirs.coef_, rtol=1e-8)


def test_the_first_principal_component_by_walking_uphill(cancer):
    x, _ = cancer
    v = ad.Tensor(np.ones(6))
    for _ in range(200):
        spread = ((x @ (v / ad.norm(v))) ** 2).mean()
        v.zero_grad()
        spread.backward()
        with ad.no_grad():
            v += 0.5 * v.grad
    known = decomposition.PCA(1).fit(x).components_[0]
    assert abs(v.data @ known) / np.linalg.norm(v.data) == pytest.approx(1, abs=1e-9)


class Classifier(base.ClassifierMixin, base.BaseEstimator):
    """A network in scikit-learn's clothes."""

    def __init__(self, width=8, epochs=30):
        self.width = width
        self.epochs = epochs

    def fit(self, x, y):
        self.classes_, labels = np.unique(y, return_inverse=True)
        ad.seed(0)
        net = nn.Sequential(
            nn.Linear(x.shape[1], self.width), nn.ReLU(), nn.Linear(self.width, len(self.classes_))
        )
        self.model_ = training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=0.01))
        self.model_.fit(x, labels, epochs=self.epochs, batch_size=32)
        return self

    def predict(self, x):
        return self.classes_[np.asarray(self.model_.predict(x)).argmax(axis=1)]


def test_a_network_is_one_of_their_estimators():
    x, y = datasets.load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    line = pipeline.make_pipeline(preprocessing.StandardScaler(), Classifier())
    scores = model_selection.cross_val_score(line, x, names, cv=3)
    assert scores.mean() > 0.9


def test_a_search_over_widths_in_threads():
    import joblib

    x, y = datasets.load_iris(return_X_y=True)
    search = model_selection.GridSearchCV(Classifier(epochs=2), {"width": [2, 16]}, cv=2, n_jobs=2)
    with joblib.parallel_backend("threading"):
        search.fit(x / 8, y)
    assert set(search.best_params_) == {"width"}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_losses_are_their_metrics():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 50), rng.uniform(0.05, 0.95, 50)
    ours = F.binary_cross_entropy(ad.tensor(p), y.astype(float)).item()
    assert ours == pytest.approx(metrics.log_loss(y, p))
    scores, labels = rng.normal(size=(50, 4)), rng.integers(0, 4, 50)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    ours = F.cross_entropy(ad.tensor(scores), labels).item()
    assert ours == pytest.approx(metrics.log_loss(labels, shares, labels=range(4)))
    weights = np.array([1.0, 2.0, 0.5, 3.0])
    ours = F.cross_entropy(ad.tensor(scores), labels, weight=weights).item()
    assert ours == pytest.approx(
        metrics.log_loss(labels, shares, sample_weight=weights[labels], labels=range(4))
    )


def test_an_evaluation_is_the_loss_of_all_examples():
    """In batches of any size, for class weights and for labels that are left out."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(25, 3)).astype(np.float32), rng.integers(0, 3, 25)
    y[:11] = 2
    for loss in (nn.CrossEntropyLoss(weight=[1.0, 5.0, 0.1]), nn.CrossEntropyLoss(ignore_index=2)):
        ad.seed(0)
        net = nn.Linear(3, 3)
        model = training.Model(net, loss, optim.SGD(net.parameters(), lr=0.1))
        whole = loss(net(x), y).item()
        for size in (25, 10, 4, 1):
            found = model.evaluate(x, y, batch_size=size)
            assert (found["loss"] if isinstance(found, dict) else found) == pytest.approx(whole, rel=1e-6)


def test_clusters_that_are_soft(cancer):
    """A mixture of two normal distributions by its likelihood's gradient, beside expectation maximization."""
    from sklearn import mixture

    x = cancer[0][:, :1]
    theirs = mixture.GaussianMixture(2, random_state=0, tol=1e-9, max_iter=2000, reg_covar=0).fit(x)

    def cost(p):
        means, spreads, shares = p[:2], ad.exp(p[2:4]), ad.log_softmax(ad.stack([p[4], 0 * p[4]]))
        each = -0.5 * ((x - means) / spreads) ** 2 - ad.log(spreads) - np.log(2 * np.pi) / 2
        return -ad.logsumexp(each + shares, axis=1).mean()

    from scipy import optimize

    at = np.array([theirs.means_[0, 0], theirs.means_[1, 0], 0.0, 0.0, 0.0])
    found = optimize.minimize(cost, at, jac=ad.grad(cost), tol=1e-9)
    assert -found.fun == pytest.approx(theirs.score(x), abs=1e-5)


def test_digits_by_a_loader_of_their_split():
    x, y = datasets.load_digits(return_X_y=True)
    parts = model_selection.train_test_split(x.astype(np.float32) / 16, y, random_state=0)
    ad.seed(0)
    net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = optim.Adam(net.parameters(), lr=0.01)
    for _ in range(8):
        for xs, ys in data.DataLoader(data.TensorDataset(parts[0], parts[2]), batch_size=64, shuffle=True):
            optimizer.zero_grad()
            F.cross_entropy(net(xs), ys).backward()
            optimizer.step()
    with ad.no_grad():
        found = net(parts[1]).argmax(axis=1)
    assert metrics.accuracy_score(parts[3], found) > 0.93
