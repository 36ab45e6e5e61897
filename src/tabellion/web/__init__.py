"""The library for other programs: an HTTP API with an OpenAPI description, and the Model Context Protocol.

`app.build_app(library)` makes the one, `mcp.build_server(library)` the other; both ask the same `LibraryService`. Needs
the extra `serve`.
"""
