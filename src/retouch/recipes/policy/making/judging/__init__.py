"""Who is wrong when rules and scenarios disagree: what judges are asked and say, and how a server then stands."""
