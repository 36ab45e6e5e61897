"""Where the files of a library are: in its own folder, in another one, or in object storage.

In: a catalogue, and what the caller names. Out: the folder with its paths, or the address of the store. The catalogue
keeps what was named first, so that a library is opened by its place alone. The index is made where it is used: of a
library in PostgreSQL and object storage, each machine has one of its own.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from sqlalchemy import select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import FILES, Catalogue, documents
from tabellion.library.files import Folder, is_address


def files_of(catalogue: Catalogue, given: str | None, *, create: bool) -> Folder:
    """The folder of a library in PostgreSQL: the one that is given, else the one that the catalogue names."""
    if catalogue.is_empty() and create and not given:
        raise LibraryError(f"{catalogue.name}: a library in PostgreSQL needs a folder for its files: --files DIR")
    catalogue.prepare(create=create)
    known = catalogue.fact(FILES)
    if is_address(given or known or ""):
        folder = Folder(own_files(catalogue.name), store_of(catalogue, given))
        folder.make()
        return folder
    if given is None:
        if known is None:
            raise LibraryError(f"{catalogue.name}: where the files of this library are is not known: name --files DIR")
        if not Path(known).is_dir():
            raise LibraryError(f"{catalogue.name}: its files are in {known}, which is not here: name --files DIR")
        return Folder(Path(known))
    folder = Folder(Path(given).absolute())
    if create or known is None:
        folder.make()
        if known != str(folder.root):
            catalogue.set_fact(FILES, str(folder.root))
    elif not folder.segments.is_dir():
        raise LibraryError(f"{given}: the files of this library are not here; the catalogue says {known}")
    return folder


def store_of(catalogue: Catalogue, given: str | None) -> str | None:
    """The address in object storage that has the originals and segments of a library, where it has one."""
    known = catalogue.fact(FILES)
    if given is None or not is_address(given):
        return known if known and is_address(known) else None
    given = given.rstrip("/")
    if known is None:
        with catalogue.reading() as connection:
            filled = connection.execute(select(documents.c.document_id).limit(1)).first()
        if filled:
            raise LibraryError(f"{catalogue.name}: the files of this library are in its folder; copy it to another one")
        catalogue.set_fact(FILES, given)
    elif known != given:
        raise LibraryError(f"{catalogue.name}: the files of this library are in {known}, not in {given}")
    return given


def own_files(name: str) -> Path:
    """Where this user's machine keeps the index of a library that is in PostgreSQL and object storage."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tabellion" / "libraries" / hashlib.sha256(name.encode()).hexdigest()[:16]
