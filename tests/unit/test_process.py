"""A tool runs within its bounds, sees no keys, and leaves no process behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from veriloop.dafny.process import Finished, run_bounded


def run(tmp_path: Path, *code: str, wall: float = 20, memory: int = 2000, output: int = 100_000) -> Finished:
    return run_bounded(
        [sys.executable, "-c", "\n".join(code)],
        cwd=tmp_path,
        extra_env={},
        wall_seconds=wall,
        memory_mb=memory,
        output_bytes=output,
    )


def test_a_well_behaved_program_is_heard_on_both_streams(tmp_path: Path) -> None:
    done = run(tmp_path, "import sys", "print('out')", "sys.stderr.write('err')", "sys.exit(3)")
    assert (done.exit_code, done.stdout, done.stderr, done.limit_hit) == (3, "out\n", "err", None)


def test_the_wall_clock_ends_the_program_and_its_children(tmp_path: Path) -> None:
    """A child that ignores its parent's death, holding the pipe, is killed too."""
    pid_file = tmp_path / "child"
    start = time.monotonic()
    done = run(
        tmp_path,
        "import subprocess, sys, time",
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])",
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))",
        "time.sleep(600)",
        wall=1.5,
    )
    assert done.limit_hit == "wall"
    assert time.monotonic() - start < 15
    assert not running(int(pid_file.read_text()))


def test_a_child_that_outlives_its_parent_is_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "child"
    done = run(
        tmp_path,
        "import subprocess, sys",
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])",
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))",
    )
    assert (done.exit_code, done.limit_hit) == (0, None)
    assert not running(int(pid_file.read_text()))


STARTER = """
import sys
from pathlib import Path
from veriloop.dafny.process import run_bounded
child = "import os, subprocess, time; print(os.getpid(), flush=True); subprocess.run(['sleep', '60'])"
run_bounded([sys.executable, "-c", f"open('pid', 'w').write(str(__import__('os').getpid())); {child}"],
            cwd=Path(sys.argv[1]), extra_env={}, wall_seconds=60, memory_mb=2000, output_bytes=1000)
"""


def test_a_program_ends_with_its_children_when_we_are_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER, str(tmp_path)]) as starter:
        pid_file = tmp_path / "pid"
        while not pid_file.exists() or not pid_file.read_text():
            time.sleep(0.01)
        first = psutil.Process(int(pid_file.read_text()))
        while not first.children():
            time.sleep(0.01)
        family = [first, *first.children()]
        starter.kill()
    psutil.wait_procs(family, timeout=10)
    assert not any(running(one.pid) for one in family)


def test_endless_output_is_cut_at_its_bound(tmp_path: Path) -> None:
    done = run(tmp_path, "while True: print('x' * 1000)", output=50_000)
    assert done.limit_hit == "output"
    assert len(done.stdout) == 50_000


def test_a_burst_just_before_the_end_is_cut_too(tmp_path: Path) -> None:
    done = run(tmp_path, "print('x' * 60_000)", output=50_000)
    assert done.limit_hit == "output"


def test_memory_of_the_whole_family_is_bounded(tmp_path: Path) -> None:
    hungry = "import time; block = bytearray(400_000_000); time.sleep(60)"
    done = run(tmp_path, "import subprocess, sys", f"subprocess.run([sys.executable, '-c', {hungry!r}])", memory=200)
    assert done.limit_hit == "memory"


def test_keys_of_the_environment_are_not_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    assert "canary" not in run(tmp_path, "import os", "print(dict(os.environ))").stdout


def test_a_program_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no-such-program"):
        run_bounded(["/no-such-program"], cwd=tmp_path, extra_env={}, wall_seconds=1, memory_mb=100, output_bytes=100)


def running(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return False
        time.sleep(0.05)
    os.kill(pid, 9)
    return True
