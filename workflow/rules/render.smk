# The page that a person reads, and the pages of attempts that it links to.


rule render_report:
    input:
        scores=PLAN.scores(),
        cards=PLAN.cards(),
        flags="results/estimate/{experiment}/flags.csv",
        toolchain=PLAN.toolchain_record(),
        tables=PLAN.tables(),
        figures=PLAN.figures(),
        attempts=PLAN.attempt_pages(),
    output:
        page="results/report/{experiment}/index.html",
    log:
        "logs/render_report/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("render"),
    message:
        "Writing the page of {wildcards.experiment}"
    script:
        "../scripts/render_report.py"


rule render_attempts:
    input:
        scores="results/score/{experiment}/{benchmark}/{arm}/{model}.csv",
        tasks="results/tasks/{experiment}/{benchmark}/tasks.jsonl",
    output:
        page="results/report/{experiment}/attempts/{benchmark}/{arm}/{model}.html",
        pages=directory(
            "results/report/{experiment}/attempts/{benchmark}/{arm}/{model}"
        ),
    log:
        "logs/render_attempts/{experiment}/{benchmark}/{arm}/{model}.log",
    wildcard_constraints:
        arm=PLAN.wildcards()["any_arm"],
    conda:
        "../../envs/report.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        index=PLAN.page(),
        journals="results/run/{experiment}/{benchmark}/{arm}/{model}",
        depends=depends("render"),
    message:
        "Writing the attempts of {wildcards.model} on {wildcards.benchmark}, arm {wildcards.arm}"
    script:
        "../scripts/render_attempts.py"
