"""What a model is asked: the job, what of it may leave the machine, the prompts, and how to ask again."""
