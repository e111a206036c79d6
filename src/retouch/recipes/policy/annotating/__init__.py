"""Annotates tools: reads them from a server, a document or a module, and proposes the roles of their arguments."""
