# Figures, each with its data.


rule plot_cumulative:
    input:
        by_attempt="results/estimate/{experiment}/by_attempt.csv",
    output:
        pdf="results/figures/{experiment}/cumulative.pdf",
        png="results/figures/{experiment}/cumulative.png",
        csv="results/figures/{experiment}/cumulative.csv",
    log:
        "logs/plot_cumulative/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        depends=depends("plot"),
    message:
        "Drawing success by attempt of {wildcards.experiment}"
    script:
        "../scripts/plot_cumulative.py"


rule plot_strata:
    input:
        strata="results/estimate/{experiment}/strata.csv",
    output:
        pdf="results/figures/{experiment}/strata.pdf",
        png="results/figures/{experiment}/strata.png",
        csv="results/figures/{experiment}/strata.csv",
    log:
        "logs/plot_strata/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        depends=depends("plot"),
    message:
        "Drawing success by size of {wildcards.experiment}"
    script:
        "../scripts/plot_strata.py"


rule plot_rates:
    input:
        rates="results/estimate/{experiment}/rates.csv",
    output:
        pdf="results/figures/{experiment}/rates.pdf",
        png="results/figures/{experiment}/rates.png",
        csv="results/figures/{experiment}/rates.csv",
    log:
        "logs/plot_rates/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        depends=depends("plot"),
    message:
        "Drawing the rates of {wildcards.experiment}"
    script:
        "../scripts/plot_rates.py"


rule plot_outcomes:
    input:
        ends="results/estimate/{experiment}/ends.csv",
    output:
        pdf="results/figures/{experiment}/outcomes.pdf",
        png="results/figures/{experiment}/outcomes.png",
        csv="results/figures/{experiment}/outcomes.csv",
    log:
        "logs/plot_outcomes/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        depends=depends("plot"),
    message:
        "Drawing what became of every task of {wildcards.experiment}"
    script:
        "../scripts/plot_outcomes.py"
