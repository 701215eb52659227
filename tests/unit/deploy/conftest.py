"""The manifests of Kubernetes, rendered once for all tests that look at them."""

import pytest

from tests.unit.deploy.cluster import VARIANTS, Cluster, operators_copy, overlay, render


@pytest.fixture(scope="session")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cluster]:
    """Every variant by its name."""
    copy = operators_copy(tmp_path_factory.mktemp("operator"))
    return {name: render(copy, overlay(*parts)) for name, parts in VARIANTS.items()}


@pytest.fixture(params=VARIANTS)
def cluster(request: pytest.FixtureRequest, clusters: dict[str, Cluster]) -> Cluster:
    """Each variant in turn."""
    return clusters[request.param]
