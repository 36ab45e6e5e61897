"""Whole websites to an ontology: segments of a page, its hierarchy, the taxonomy of sites, and instances.

`mine_sites` (in `ontology`) enters the room for sites, `mine_instances` (in `instances`) for the pages of one template,
`segment_page` (in `hierarchy`) for one page.
"""
