"""What an answer is worth: read in whichever form it came, checked in tiers, tried on every sample."""
