import pytest
import torch
from fakes import seeded, sentences_of

from sda.models.generator import Frame
from sda.models.rnn import RnnDiscriminator, RnnGenerator


def test_tied_embeddings_are_the_output_layer_without_the_start_symbol() -> None:
    model = RnnGenerator(Frame(5, 0, 4), seeded(0), embedding=3, hidden=3, tied=True)

    assert model.bos == 5
    assert model.output_weight.shape == (5, 3)
    assert model.output_weight.data_ptr() == model.embedding.weight.data_ptr()
    assert "output" not in dict(model.named_parameters())


def test_first_values_have_the_asked_standard_deviation() -> None:
    model = RnnGenerator(Frame(200, 0, 4), seeded(0), init_std=0.3)
    values = torch.cat([value.detach().flatten() for value in model.parameters()])

    assert float(values.std()) == pytest.approx(0.3, abs=0.01)


def test_dropout_is_on_in_training() -> None:
    model = RnnGenerator(Frame(5, 0, 4), seeded(0), dropout=0.5)
    torch.manual_seed(0)
    sentences = sentences_of([1, 2, 0], [3, 0])

    assert not torch.equal(model.log_probs(sentences), model.log_probs(sentences))


def test_features_are_where_a_bidirectional_gru_ends() -> None:
    model = RnnDiscriminator(9, seeded(0), embedding=3, hidden=4)
    both = torch.nn.GRU(3, 4, batch_first=True, bidirectional=True)
    for name, value in model.forwards.named_parameters():
        both.get_parameter(name).data.copy_(value)
    for name, value in model.backwards.named_parameters():
        both.get_parameter(f"{name}_reverse").data.copy_(value)
    rows = [1, 2, 3, 4, 5], [6, 7], [8]
    expected = [both(model.embedding(torch.tensor([row])))[1].flatten() for row in rows]

    torch.testing.assert_close(model.features(sentences_of(*rows)), torch.stack(expected))
