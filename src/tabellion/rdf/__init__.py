"""RDF as it is written: descriptions of things in Turtle, N-Quads, RDF/XML or JSON-LD. Start with `SYNTAXES`.

Written by hand, since what is written may be millions of facts: each form goes out piece by piece and holds one
description at a time. Reading RDF is left to libraries.
"""

from tabellion.rdf.facts import SYNTAXES, Description, Fact, Literal, Syntax, expand_name

__all__ = ["SYNTAXES", "Description", "Fact", "Literal", "Syntax", "expand_name"]
