import pytest
import torch
from fakes import seeded, sentences_of
from torch.nn.functional import conv1d

from sda.models.cnn import CnnDiscriminator


def test_features_at_full_length_are_those_of_a_convolution() -> None:
    widths, maps, size = (1, 3, 4), (2, 3, 4), 5
    model = CnnDiscriminator(9, seeded(0), size, widths, maps)
    sentences = sentences_of([1, 2, 3, 4, 5, 6], [8, 7, 6, 5, 4, 3])
    embedded = model.embedding(sentences.tokens).transpose(1, 2)
    peaks = []
    for layer, width, count in zip(model.filters, widths, maps, strict=True):
        weight = layer.weight
        assert isinstance(weight, torch.Tensor)
        kernel = weight.view(count, width, size).transpose(1, 2)
        peaks.append(conv1d(embedded, kernel).amax(2))
    pooled = torch.relu(torch.cat(peaks, 1) + 0.1)
    gate = torch.sigmoid(model.gate(pooled))
    expected = gate * torch.relu(model.transform(pooled)) + (1 - gate) * pooled

    torch.testing.assert_close(model.features(sentences), expected)


def test_a_sentence_shorter_than_a_window_has_one_window() -> None:
    model = CnnDiscriminator(9, seeded(0), 2, widths=(3,), maps=(4,))
    padding = model.embedding.weight[9]
    window = torch.cat((model.embedding.weight[5], padding, padding))
    layer = model.filters[0]
    pooled = torch.relu(layer(window) + model.filter_bias)
    gate = torch.sigmoid(model.gate(pooled))
    expected = gate * torch.relu(model.transform(pooled)) + (1 - gate) * pooled

    alone = model.features(sentences_of([5]))[0]
    beside = model.features(sentences_of([5], [1, 2, 3, 4, 5, 6]))[0]
    torch.testing.assert_close(alone, expected)
    torch.testing.assert_close(beside, expected)


def test_first_values_are_those_of_seqgan() -> None:
    model = CnnDiscriminator(200, seeded(0))
    weights = torch.cat([layer.weight.flatten() for layer in (model.gate, model.transform)])

    assert model.embedding.weight.abs().max() <= 1
    assert float(model.embedding.weight.detach().std()) == pytest.approx(3**-0.5, abs=0.01)
    assert weights.abs().max() <= 0.2
    # A normal variable cut at two standard deviations has 0.88 of its standard deviation.
    assert float(weights.detach().std()) == pytest.approx(0.088, abs=0.001)
    assert model.filter_bias.eq(0.1).all() and model.output.bias.eq(0.1).all()
    assert not model.gate.bias.any()


def test_widths_and_maps_must_agree() -> None:
    with pytest.raises(ValueError, match="2 widths"):
        CnnDiscriminator(9, seeded(0), widths=(1, 2), maps=(3,))
