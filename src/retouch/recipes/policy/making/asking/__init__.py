"""What models are asked, from which source, and in which shape they answer."""
