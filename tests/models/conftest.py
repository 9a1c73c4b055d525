"""The small LeakRNN of `leak_by_hand` and the discriminator whose features it reads."""

import pytest

from models.leak_by_hand import make_discriminator, make_generator
from sda.models.cnn import CnnDiscriminator
from sda.models.leak import LeakGenerator


@pytest.fixture
def discriminator() -> CnnDiscriminator:
    return make_discriminator()


@pytest.fixture
def generator(discriminator: CnnDiscriminator) -> LeakGenerator:
    return make_generator(discriminator)
