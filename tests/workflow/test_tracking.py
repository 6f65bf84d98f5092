"""The MLflow mirror: written by several workflows at once, brought up to date, never doubled."""

import subprocess
import sys
from pathlib import Path

from veriloop.tracking import Mirror, RunRecord, only_writer

WRITER = """
import sys
from pathlib import Path
from veriloop.tracking import Mirror, RunRecord, only_writer
folder = Path(sys.argv[1])
with only_writer(folder / "mlflow.db"):
    mirror = Mirror(folder / "mlflow.db", folder / "artifacts", sys.argv[2])
    mirror.put(RunRecord("key", "name", {}, {"rate": 0.5}, {}, {}), None, 1)
"""


def test_two_workflows_that_finish_at_once_share_a_new_store(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name], stderr=subprocess.PIPE, text=True)
        for name in ("one", "two")
    ]
    for writer in writers:
        _, said = writer.communicate(timeout=180)
        assert writer.returncode == 0, said
    for name in ("one", "two"):
        assert set(Mirror(tmp_path / "mlflow.db", tmp_path / "artifacts", name).runs()) == {"key"}


def test_a_run_is_brought_up_to_date_and_replaced_where_a_parameter_changed(tmp_path: Path) -> None:
    def record(rate: float, **params: str) -> RunRecord:
        return RunRecord("key", "name", params, {"rate": rate}, {"tag": str(rate)}, {})

    def mirror() -> Mirror:
        """Opened anew for each step, as each job does."""
        return Mirror(tmp_path / "mlflow.db", tmp_path / "artifacts", "e")

    with only_writer(tmp_path / "mlflow.db"):
        first = mirror().put(record(0.5, budget="1"), None, 1)
        assert mirror().put(record(0.75, budget="1"), None, 2) == first
        (run,) = mirror().runs().values()
        assert (run.data.metrics["rate"], run.data.tags["tag"]) == (0.75, "0.75")
        second = mirror().put(record(0.75, budget="3"), None, 3)
        assert second != first
        (run,) = mirror().runs().values()
        assert run.data.params == {"budget": "3"}
        mirror().remove_others(set())
        assert mirror().runs() == {}
