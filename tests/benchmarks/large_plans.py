"""How long a dry run of a large experiment takes, as ratios to workflows of as many jobs that do nothing.

`make bench-plans` prints them. Two baselines are run in the same minute: the same jobs with the same files, wildcards
and directives, written down without this project's code; and jobs of one rule with an output and nothing else, which
is the least that Snakemake can do. CPU seconds decide, since the machine may be busy with other things.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

SAME = """
B, A, M = {benchmarks}, {arms}, {models}
CELLS = expand("{{benchmark}}/{{arm}}/{{model}}", benchmark=B, arm=A, model=M)
rule all:
    input: expand("results/score/x/{{cell}}.csv", cell=CELLS), expand("results/report/x/{{cell}}.html", cell=CELLS)
rule tasks:
    output: tasks="results/tasks/x/{{benchmark}}/tasks.jsonl", answers="results/tasks/x/{{benchmark}}/answers.jsonl"
    script: "empty.py"
rule toolchain:
    output: record="results/toolchain/x.json"
    script: "empty.py"
rule run:
    input:
        tasks="results/tasks/x/{{benchmark}}/tasks.jsonl",
        answers="results/tasks/x/{{benchmark}}/answers.jsonl",
        toolchain="results/toolchain/x.json",
    output: journal="results/run/x/{{benchmark}}/{{arm}}/{{model}}/seed_{{seed}}/shard_{{shard}}.jsonl"
    log: "logs/run/x/{{benchmark}}/{{arm}}/{{model}}/seed_{{seed}}/shard_{{shard}}.log"
    conda: "env.yaml"
    params: config="x.yaml", shards={shards}, depends=lambda wildcards: "0"
    message: "{{wildcards.model}} {{wildcards.benchmark}} {{wildcards.arm}} {{wildcards.seed}} {{wildcards.shard}}"
    script: "empty.py"
rule score:
    input:
        tasks="results/tasks/x/{{benchmark}}/tasks.jsonl",
        journals=expand("results/run/x/{{{{benchmark}}}}/{{{{arm}}}}/{{{{model}}}}/seed_{{seed}}/shard_{{shard}}.jsonl",
                        seed=range({seeds}), shard=range({shards})),
    output: scores="results/score/x/{{benchmark}}/{{arm}}/{{model}}.csv"
    log: "logs/score/x/{{benchmark}}/{{arm}}/{{model}}.log"
    conda: "env.yaml"
    params: seeds="x", depends="0"
    message: "Scoring {{wildcards.model}} on {{wildcards.benchmark}}, arm {{wildcards.arm}}"
    script: "empty.py"
rule page:
    input: scores="results/score/x/{{benchmark}}/{{arm}}/{{model}}.csv"
    output: page="results/report/x/{{benchmark}}/{{arm}}/{{model}}.html"
    log: "logs/page/x/{{benchmark}}/{{arm}}/{{model}}.log"
    conda: "env.yaml"
    params: index="x", depends="0"
    message: "Writing the attempts of {{wildcards.model}} on {{wildcards.benchmark}}, arm {{wildcards.arm}}"
    script: "empty.py"
"""

BARE = """
rule all:
    input: expand("out/{{i}}", i=range({jobs}))
rule empty:
    output: "out/{{i}}"
    shell: "touch {{output}}"
"""


def overrides(size: argparse.Namespace) -> list[str]:
    """An experiment of this size on copies of `mini`; nothing of it is ever run."""
    models = ",".join(
        f"m{i}:{{proposer:oracle_dropout,options:{{drop_probability:{i / 1000}}}}}" for i in range(size.models)
    )
    benchmarks = ",".join(f"b{i}:{{loader:mini}}" for i in range(size.benchmarks))
    arms = ",".join(f"a{i}:['loop.max_attempts={i + 1}']" for i in range(size.arms))
    return [
        *("~models", f"+models={{{models}}}", "~benchmarks", f"+benchmarks={{{benchmarks}}}"),
        *("~arms", f"+arms={{{arms}}}", f"seeds={list(range(size.seeds))}".replace(" ", ""), f"shards={size.shards}"),
    ]


def dry_run(folder: Path, *words: str) -> tuple[float, int]:
    """CPU seconds of a dry run, and its number of jobs."""
    before = os.times()
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "rules", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = os.times()
    jobs = re.search(r"^total +(\d+)$", done.stdout + done.stderr, re.MULTILINE)
    if done.returncode != 0 or jobs is None:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, int(jobs[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in {"models": 25, "benchmarks": 4, "arms": 5, "seeds": 20, "shards": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    size = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        words = json.dumps(overrides(size), separators=(",", ":"))
        snakefile = str(REPOSITORY / "Snakefile")
        ours = dry_run(folder, "--snakefile", snakefile, "--config", "experiment=mini_arms", f"overrides={words}")
        names = {key: [f"{key[0]}{i}" for i in range(getattr(size, key))] for key in ("models", "benchmarks", "arms")}
        (folder / "empty.py").write_text("")
        (folder / "env.yaml").write_text("dependencies: [python]\n")
        (folder / "same.smk").write_text(SAME.format(**names, seeds=size.seeds, shards=size.shards))
        (folder / "bare.smk").write_text(BARE.format(jobs=ours[1] - 1))
        print(f"{ours[1]} jobs: {ours[0]:.1f} CPU s")
        for name, file in (("the same jobs, doing nothing", "same.smk"), ("bare jobs of one rule", "bare.smk")):
            seconds, jobs = dry_run(folder, "--snakefile", file)
            print(f"  {ours[0] / seconds * jobs / ours[1]:.2f} times {name} ({jobs} jobs, {seconds:.1f} CPU s)")


if __name__ == "__main__":
    main()
