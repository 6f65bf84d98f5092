# Checks of the finished files, which all targets demand.


rule check_results:
    input:
        scores=PLAN.scores(),
        tables=PLAN.tables(),
        figures=PLAN.figures(),
        page=PLAN.page(),
    output:
        report="results/checks/{experiment}.txt",
    log:
        "logs/check_results/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        depends=depends("check"),
    message:
        "Checking the finished files of {wildcards.experiment}"
    script:
        "../scripts/check_results.py"
