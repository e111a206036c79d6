"""What every layer may use: it knows no engine, recipe, provider or terminal."""
