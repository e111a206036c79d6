"""What the schemas of a document describe once references and combinations are worked out."""
