"""The integrity constraints of the W3C Data Cube vocabulary (section 11.1) that apply to cubes without slices.

`NORMALISE` is the part of the specification's normalisation that these cubes need; a constraint that answers true is
broken. Slices (IC-7 to IC-10, IC-18), measure dimensions (IC-15 to IC-17) and hierarchies of codes beyond concept
schemes (IC-20, IC-21) do not occur.
"""

PREFIXES = """
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX qb: <http://purl.org/linked-data/cube#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
NORMALISE = """
INSERT { ?o rdf:type qb:Observation . } WHERE { ?o qb:dataSet [] . } ;
INSERT { ?ds rdf:type qb:DataSet . } WHERE { ?o qb:dataSet ?ds . } ;
INSERT { ?cs qb:componentProperty ?p . ?p rdf:type qb:DimensionProperty . } WHERE { ?cs qb:dimension ?p . } ;
INSERT { ?cs qb:componentProperty ?p . ?p rdf:type qb:MeasureProperty . } WHERE { ?cs qb:measure ?p . } ;
INSERT { ?cs qb:componentProperty ?p . ?p rdf:type qb:AttributeProperty . } WHERE { ?cs qb:attribute ?p . }
"""
CONSTRAINTS = {
    "IC-1 unique data set": """
{ ?obs a qb:Observation . FILTER NOT EXISTS { ?obs qb:dataSet ?dataset1 . } }
UNION { ?obs a qb:Observation ; qb:dataSet ?dataset1, ?dataset2 . FILTER (?dataset1 != ?dataset2) }""",
    "IC-2 unique structure": """
{ ?dataset a qb:DataSet . FILTER NOT EXISTS { ?dataset qb:structure ?dsd . } }
UNION { ?dataset a qb:DataSet ; qb:structure ?dsd1, ?dsd2 . FILTER (?dsd1 != ?dsd2) }""",
    "IC-3 structure includes measure": """
?dsd a qb:DataStructureDefinition .
FILTER NOT EXISTS { ?dsd qb:component [qb:componentProperty [a qb:MeasureProperty]] }""",
    "IC-4 dimensions have range": """
?dim a qb:DimensionProperty . FILTER NOT EXISTS { ?dim rdfs:range [] }""",
    "IC-5 concept dimensions have code lists": """
?dim a qb:DimensionProperty ; rdfs:range skos:Concept . FILTER NOT EXISTS { ?dim qb:codeList [] }""",
    "IC-6 only attributes may be optional": """
?dsd qb:component ?spec . ?spec qb:componentRequired "false"^^xsd:boolean ; qb:componentProperty ?component .
FILTER NOT EXISTS { ?component a qb:AttributeProperty }""",
    "IC-11 all dimensions required": """
?obs qb:dataSet/qb:structure/qb:component/qb:componentProperty ?dim . ?dim a qb:DimensionProperty .
FILTER NOT EXISTS { ?obs ?dim [] }""",
    "IC-12 no duplicate observations": """
FILTER( ?allEqual )
{ SELECT (MIN(?equal) AS ?allEqual) WHERE {
    ?obs1 qb:dataSet ?dataset . ?obs2 qb:dataSet ?dataset . FILTER (?obs1 != ?obs2)
    ?dataset qb:structure/qb:component/qb:componentProperty ?dim . ?dim a qb:DimensionProperty .
    ?obs1 ?dim ?value1 . ?obs2 ?dim ?value2 . BIND( ?value1 = ?value2 AS ?equal)
  } GROUP BY ?obs1 ?obs2 }""",
    "IC-13 required attributes": """
?obs qb:dataSet/qb:structure/qb:component ?component .
?component qb:componentRequired "true"^^xsd:boolean ; qb:componentProperty ?attr .
FILTER NOT EXISTS { ?obs ?attr [] }""",
    "IC-14 all measures present": """
?obs qb:dataSet/qb:structure ?dsd . FILTER NOT EXISTS { ?dsd qb:component/qb:componentProperty qb:measureType }
?dsd qb:component/qb:componentProperty ?measure . ?measure a qb:MeasureProperty .
FILTER NOT EXISTS { ?obs ?measure [] }""",
    "IC-19 codes from code list": """
?obs qb:dataSet/qb:structure/qb:component/qb:componentProperty ?dim .
?dim a qb:DimensionProperty ; qb:codeList ?list . ?list a skos:ConceptScheme .
?obs ?dim ?v . FILTER NOT EXISTS { ?v a skos:Concept ; skos:inScheme ?list }""",
}


def constraint(name: str) -> str:
    """A constraint as a query."""
    return f"{PREFIXES}ASK {{ {CONSTRAINTS[name]} }}"
