# The tasks of each benchmark.


rule curate_benchmark:
    output:
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
        answers="results/tasks/{experiment}/{benchmark}/answers.jsonl",
        card="results/tasks/{experiment}/{benchmark}/card.json",
    log:
        "logs/curate_benchmark/{experiment}/{benchmark}.log",
    conda:
        "../../envs/loop.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("curate", "benchmark"),
    message:
        "Reading the tasks of {wildcards.benchmark}"
    script:
        "../scripts/curate_benchmark.py"
