"""From words to tests of arguments: which argument a place, a name, an amount or a time of a sentence is about."""
