"""What tests of data sets share: a vault, and the data sets of a service."""

import pytest

from antifaz.service.datasets import Datasets
from antifaz.service.vault import Vault


@pytest.fixture
def vault(tmp_path):
    (tmp_path / "vault").mkdir()
    return Vault(tmp_path / "vault")


@pytest.fixture
def data(workers, tmp_path):
    found = Datasets(workers=workers, folder=tmp_path / "open", memory="2GB")
    yield found
    found.close()
