# Tables, and where their numbers came from.


rule tabulate_rates:
    input:
        rates="results/estimate/{experiment}/rates.csv",
        cards=PLAN.cards(),
        toolchain=PLAN.toolchain_record(),
    output:
        csv="results/tables/{experiment}/rates.csv",
        markdown="results/tables/{experiment}/rates.md",
        latex="results/tables/{experiment}/rates.tex",
        provenance="results/tables/{experiment}/rates.provenance.json",
    log:
        "logs/tabulate_rates/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("tabulate"),
    message:
        "Writing the table of rates of {wildcards.experiment}"
    script:
        "../scripts/tabulate_rates.py"


rule tabulate_differences:
    input:
        scores=PLAN.scores(),
        tasks=PLAN.task_lists(),
        cards=PLAN.cards(),
        toolchain=PLAN.toolchain_record(),
    output:
        csv="results/tables/{experiment}/differences.csv",
        markdown="results/tables/{experiment}/differences.md",
        latex="results/tables/{experiment}/differences.tex",
        provenance="results/tables/{experiment}/differences.provenance.json",
    log:
        "logs/tabulate_differences/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("tabulate"),
    message:
        "Naming what differs from the published results in {wildcards.experiment}"
    script:
        "../scripts/tabulate_differences.py"


rule tabulate_details:
    input:
        rows="results/estimate/{experiment}/{table}.csv",
        cards=PLAN.cards(),
        toolchain=PLAN.toolchain_record(),
    output:
        csv="results/tables/{experiment}/{table}.csv",
        markdown="results/tables/{experiment}/{table}.md",
        latex="results/tables/{experiment}/{table}.tex",
        provenance="results/tables/{experiment}/{table}.provenance.json",
    log:
        "logs/tabulate_details/{experiment}/{table}.log",
    wildcard_constraints:
        table=PLAN.wildcards()["table"],
    conda:
        "../../envs/report.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("tabulate"),
    message:
        "Writing the table {wildcards.table} of {wildcards.experiment}"
    script:
        "../scripts/tabulate_details.py"
