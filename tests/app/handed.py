"""A hand that repairs with the app's own calls, for the simulated user of `learn/`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.testclient import TestClient

from tabellion.errors import RepairError
from tabellion.model.correction import Correction, Saying, read_operation
from tabellion.model.place import Place
from tabellion.pipeline import Extraction
from tabellion.repair.lookalikes import Proposal
from tabellion.web.looking import Looking

_TEXTS = ("text", "was")  # what the server fills in itself


class AppHand:
    """Strokes over HTTP, on the tables of one sheet; what they give is seen where the app draws it from."""

    def __init__(self, client: TestClient, looking: Looking, table: str) -> None:
        self.client, self.looking, self.table = client, looking, table
        self.sheet = client.get(f"/tables/{table}/reading").json()["place"].get("sheet")
        self.document = client.get(f"/tables/{table}/reading").json()["document"]
        self.calls = 0

    @property
    def extraction(self) -> Extraction:
        with self.looking.open.document(self.document) as opened:
            whole = opened.extraction
        return msgspec.structs.replace(whole, tables=tuple(one for one in whole.tables if self._is_here(one.place)))

    @property
    def log(self) -> Sequence[Correction]:
        with self.looking.open.document(self.document) as opened:
            return opened.log or ()

    def apply(self, said: Saying) -> Correction:
        asked = {"operations": [_bare(msgspec.to_builtins(said))], "author": "ada", "seen": len(self.log)}
        self._send(f"/tables/{self._any_table()}/corrections", asked)
        return self.log[-1]

    def alike(self) -> list[Proposal]:
        asked = {"correction": self.log[-1].id, "scope": "sheet"}
        found = self.client.get(f"/tables/{self._any_table()}/alike", params=asked).json()
        made = [(msgspec.convert(one["place"], Place), read_operation(one["operation"])) for one in found["proposals"]]
        return [Proposal(place, operation) for place, operation in made]  # type: ignore[arg-type]

    def accept(self, proposals: Sequence[Proposal], like: str | None = None) -> Sequence[Correction]:
        every = self.alike()
        without = [at for at, one in enumerate(every) if one not in proposals]
        asked = {"correction": like, "scope": "sheet", "without": without, "author": "ada"}
        before = len(self.log)
        self._send(f"/tables/{self._any_table()}/alike", asked)
        return self.log[before:]

    def _send(self, address: str, asked: dict[str, Any]) -> None:
        self.calls += 1
        answer = self.client.post(address, json=asked)
        if answer.status_code != 200:
            raise RepairError(str(answer.json()["detail"]))

    def _any_table(self) -> str:
        """The table that is repaired; where a stroke has taken it away, the first of its sheet."""
        here = [f"{self.document}-{one.id}" for one in self.extraction.tables]
        return self.table if self.table in here or not here else here[0]

    def _is_here(self, place: Place) -> bool:
        return self.sheet is None or place.sheet == self.sheet


def _bare(said: Any) -> Any:
    """An operation that names its places by rows and columns alone, as the app sends it."""
    if isinstance(said, dict):
        return {name: _bare(one) for name, one in said.items() if name not in _TEXTS}
    return said
