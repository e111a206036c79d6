"""Results of runs for other programs: issues with their place in a file, as text, GitHub commands, SARIF or JUnit."""
