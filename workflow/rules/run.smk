# Sealed journals: made by the loop, by a gate over recorded answers (verified beforehand where the experiment says so),
# or taken from a release's published results.


rule run_loop:
    input:
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
        answers="results/tasks/{experiment}/{benchmark}/answers.jsonl",
        toolchain="results/toolchain/{experiment}.json",
        endpoint=lambda wildcards: PLAN.endpoint_record(wildcards.model),
    output:
        journal="results/run/{experiment}/{benchmark}/{arm}/{model}/seed_{seed}/shard_{shard}.jsonl",
    log:
        "logs/run_loop/{experiment}/{benchmark}/{arm}/{model}/seed_{seed}/shard_{shard}.log",
    wildcard_constraints:
        benchmark=PLAN.wildcards()["live"],
    conda:
        "../../envs/loop.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        shards=PLAN.experiment.shards,
        depends=depends("run", "arm", "model"),
    message:
        "Running {wildcards.model} on {wildcards.benchmark}, arm {wildcards.arm}, seed {wildcards.seed}, shard {wildcards.shard}"
    script:
        "../scripts/run_loop.py"


rule run_verified:
    input:
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
        answers="results/tasks/{experiment}/{benchmark}/answers.jsonl",
        toolchain="results/toolchain/{experiment}.json",
    output:
        journal="results/verified/{experiment}/{benchmark}/{model}/shard_{shard}.jsonl",
    log:
        "logs/run_verified/{experiment}/{benchmark}/{model}/shard_{shard}.log",
    wildcard_constraints:
        benchmark=PLAN.wildcards()["audited"],
    conda:
        "../../envs/loop.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        shards=PLAN.experiment.shards,
        depends=depends("verified", "model"),
    message:
        "Verifying the answers of {wildcards.model} to {wildcards.benchmark}, shard {wildcards.shard}"
    script:
        "../scripts/run_verified.py"


rule run_audited:
    input:
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
        answers="results/tasks/{experiment}/{benchmark}/answers.jsonl",
        verified=lambda wildcards: PLAN.verified_journals(
            wildcards.benchmark, wildcards.model
        ),
    output:
        journal="results/run/{experiment}/{benchmark}/{arm}/{model}/seed_0/shard_0.jsonl",
    log:
        "logs/run_audited/{experiment}/{benchmark}/{arm}/{model}.log",
    wildcard_constraints:
        benchmark=PLAN.wildcards()["audited"],
    conda:
        "../../envs/loop.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("audited", "arm", "model"),
    message:
        "Asking the gate of arm {wildcards.arm} about the answers of {wildcards.model} to {wildcards.benchmark}"
    script:
        "../scripts/run_audited.py"


rule run_published:
    input:
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
    output:
        journal="results/run/{experiment}/{benchmark}/published/{model}/seed_0/shard_0.jsonl",
    log:
        "logs/run_published/{experiment}/{benchmark}/{model}.log",
    conda:
        "../../envs/loop.yaml"
    params:
        depends=depends("published"),
    message:
        "Taking the published results of {wildcards.model} on {wildcards.benchmark}"
    script:
        "../scripts/run_published.py"
