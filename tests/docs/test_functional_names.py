"""Every function of torch.nn.functional is here, or the page for those who come from PyTorch says what to
write instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autodiff.nn import functional as F  # noqa: N812  what everybody calls it

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "from_pytorch_networks.md").read_text(encoding="utf-8")

# The functions of torch.nn.functional in version 2.13, without its own tools and its quantized products.
FUNCTIONS = """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d affine_grid alpha_dropout avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear
    binary_cross_entropy binary_cross_entropy_with_logits celu celu_ channel_shuffle conv1d conv2d conv3d
    conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity
    cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu elu_ embedding embedding_bag
    feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool3d gaussian_nll_loss gelu glu
    grid_sample group_norm gumbel_softmax hardshrink hardsigmoid hardswish hardtanh hardtanh_
    hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu
    leaky_relu_ linear linear_cross_entropy local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d
    lp_pool3d margin_ranking_loss max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d
    mish mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss
    multilabel_soft_margin_loss native_channel_shuffle nll_loss normalize one_hot pad pairwise_distance
    pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ rms_norm rrelu rrelu_
    scaled_dot_product_attention selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin
    softplus softshrink softsign tanh tanhshrink threshold threshold_ triplet_margin_loss
    triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest
""".split()  # noqa: SIM905  a paragraph of names


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_here_or_the_page_says_that_it_is_not(name):
    is_told = any(f"`{name}`" in note for note in re.findall(r"There is no [^|]*", PAGE))
    assert hasattr(F, name) != is_told, (
        f"{name} should be in nn.functional or in the page, and in one of them"
    )
