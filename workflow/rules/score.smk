# One row per task of the benchmark, finished or not.


rule score_tasks:
    input:
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
        journals=lambda w: PLAN.journals(PLAN.cell(w.benchmark, w.arm, w.model)),
    output:
        scores="results/score/{experiment}/{benchmark}/{arm}/{model}.csv",
    log:
        "logs/score_tasks/{experiment}/{benchmark}/{arm}/{model}.log",
    wildcard_constraints:
        arm=PLAN.wildcards()["any_arm"],
    conda:
        "../../envs/stats.yaml"
    params:
        seeds=lambda w: list(PLAN.cell(w.benchmark, w.arm, w.model).seeds),
        depends=depends("score"),
    message:
        "Scoring {wildcards.model} on {wildcards.benchmark}, arm {wildcards.arm}"
    script:
        "../scripts/score_tasks.py"
