"""The documented schema is the one that the files beside the tables follow."""

import json
from pathlib import Path

from veriloop.stages.origin import Provenance

SCHEMA = Path(__file__).parents[2] / "docs" / "provenance.schema.json"


def test_the_documented_schema_is_the_models() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == Provenance.model_json_schema()
