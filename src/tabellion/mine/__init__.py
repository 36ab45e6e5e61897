"""Whole websites to an ontology: segments of a page, its hierarchy, the taxonomy of sites, and instances.

Start with `mine_sites` (in `ontology`) for sites, `mine_instances` (in `instances`) for the pages of one template,
`segment_page` (in `hierarchy`) for one page.
"""
