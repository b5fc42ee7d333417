"""The Spark engine: Spark frames, and paths of any store that Hadoop knows."""

from typing import Any, ClassVar

from antifaz.core.errors import MissingExtra
from antifaz.engines.engine import Auditor, Data, Engine


class SparkEngine(Engine):
    """Opens what only Spark can open."""

    names: ClassVar[tuple[str, ...]] = ("spark",)

    def opens(self, place: Any) -> bool:
        """Take a path with a scheme, such as hdfs://, or a Spark frame; nothing of Spark is imported for that."""
        return "://" in place if isinstance(place, str) else type(place).__module__.startswith("pyspark.")

    def open(self, place: Any, **options: Any) -> Data:
        """Open a Spark frame, or any path that Spark opens."""
        _require_pyspark()
        from antifaz.engines.spark.data import open_spark

        return open_spark(place, **options)

    def auditor(self, **limits: Any) -> Auditor:
        """Return who counts Spark frames and written parts."""
        _require_pyspark()
        from antifaz.engines.spark.auditor import SparkAuditor

        return SparkAuditor()


def _require_pyspark() -> None:
    try:
        import pyspark.sql  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in ("pyspark", "py4j"):
            raise MissingExtra("spark.needs-pyspark") from None
        raise
