# Sealed journals: made by the loop, or taken from a release's published results.


rule run_loop:
    input:
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
        answers="results/tasks/{experiment}/{benchmark}/answers.jsonl",
        toolchain="results/toolchain/{experiment}.json",
    output:
        journal="results/run/{experiment}/{benchmark}/{arm}/{model}/seed_{seed}/shard_{shard}.jsonl",
    log:
        "logs/run_loop/{experiment}/{benchmark}/{arm}/{model}/seed_{seed}/shard_{shard}.log",
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
