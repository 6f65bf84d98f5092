"""The documented schemas are those that the files and outputs follow."""

import json
from pathlib import Path

import pytest
from veriloop.outcomes import Record
from veriloop.stages.judge import Judgement
from veriloop.stages.origin import Provenance

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("name", "kind"), [("provenance", Provenance), ("check", Judgement)])
def test_the_documented_schema_is_the_records(name: str, kind: type[Record]) -> None:
    schema = DOCS / f"{name}.schema.json"
    assert json.loads(schema.read_text(encoding="utf-8")) == kind.model_json_schema()
