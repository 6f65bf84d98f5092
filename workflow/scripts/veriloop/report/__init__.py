"""Tables and figures, made from what the estimate stage wrote and from nothing else."""
