"""An index in shards: documents are spread over several indexes by their hash, and all of them are searched together.

In: indexes of one schema. Out: one that is asked like a single index of tantivy. All tables of a document lie in one
shard, so each shard is a sample of the library: words are about as rare in each as in all, and scores are compared as
they are (Elasticsearch does the same). A small library has one shard. The number of shards is settled when an index is
made anew; one that a library has outgrown is made anew in more. Fails where few documents share rare words: scores of
different shards then differ by a little.
"""

from __future__ import annotations

import heapq
import os
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import tantivy

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Made = TypeVar("Made")
_DOCUMENTS = 250_000  # of a shard: some hundred megabytes, which are merged in seconds
_MOST = 16  # shards; more are only more to ask
_OUTGROWN = 4  # times as many shards as there are, from which an index is made anew
_BUCKETS = 1_000  # asked of each shard, so that what is common in all is among them: years, kinds
_APART = 2**32  # between the parts of two shards in the numbers of parts


def shards_for(documents: int) -> int:
    """How many shards the index of so many documents has.

    >>> shards_for(1_000), shards_for(500_000), shards_for(10_000_000)
    (1, 2, 16)
    """
    wanted, shards = -(-documents // _DOCUMENTS), 1
    while shards < min(wanted, _MOST):
        shards *= 2
    return shards


def has_outgrown(shards: int, documents: int) -> bool:
    """Whether the index of so many documents had better be made anew, in more shards."""
    return shards_for(documents) >= _OUTGROWN * shards


def shard_of(document_id: str, shards: int) -> int:
    """The shard in which all tables of a document lie."""
    return zlib.crc32(document_id.encode()) % shards if shards > 1 else 0


class Address(NamedTuple):
    """Where an entry lies: its shard, and the place there."""

    shard: int
    place: tantivy.DocAddress

    @property
    def segment_ord(self) -> int:
        return self.shard * _APART + int(self.place.segment_ord)

    @property
    def doc(self) -> int:
        return int(self.place.doc)


class Hits(NamedTuple):
    """The best entries with their scores."""

    hits: list[tuple[float, Address]]


class Shards:
    """Indexes that are one."""

    def __init__(self, indexes: Sequence[tantivy.Index]) -> None:
        self.indexes = indexes
        self.schema = indexes[0].schema

    def reload(self) -> None:
        for index in self.indexes:
            index.reload()

    def searcher(self) -> Together:
        return Together([index.searcher() for index in self.indexes])


class Together:
    """Searchers that are asked as one; where there are several cores, at the same time."""

    def __init__(self, searchers: Sequence[tantivy.Searcher]) -> None:
        self._searchers = searchers
        self._threads: ThreadPoolExecutor | None = None
        if (cores := min(len(searchers), os.cpu_count() or 1)) > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(cores)

    @property
    def num_docs(self) -> int:
        return sum(one.num_docs for one in self._searchers)

    def doc_freq(self, field: str, value: object) -> int:
        return sum(one.doc_freq(field, value) for one in self._searchers)

    def doc(self, address: Address) -> tantivy.Document:
        return self._searchers[address.shard].doc(address.place)

    def search(self, query: tantivy.Query, limit: int = 10, count: bool = True, offset: int = 0) -> Hits:
        """The best entries of all shards, in the order of their scores."""
        if len(self._searchers) == 1:
            answer = self._searchers[0].search(query, limit, count=count, offset=offset)
            return Hits([(score, Address(0, place)) for score, place in answer.hits])
        found = self._ask(lambda one: one.search(query, limit + offset, count=count))
        lists = [[(score, Address(shard, at)) for score, at in one.hits] for shard, one in enumerate(found)]
        merged = heapq.merge(*lists, key=lambda hit: float(hit[0]), reverse=True)
        return Hits(list(islice(merged, offset, limit + offset)))

    def aggregate(self, query: tantivy.Query, wanted: dict[str, Any]) -> dict[str, Any]:
        """Counts by terms, added up over all shards, the commonest first."""
        if len(self._searchers) == 1:
            return dict(self._searchers[0].aggregate(query, wanted))
        asked = {
            name: {"terms": one["terms"] | {"size": max(_BUCKETS, one["terms"]["size"])}}
            for name, one in wanted.items()
        }
        answers = self._ask(lambda one: one.aggregate(query, asked))
        return {name: _added(answers, name, one["terms"]["size"]) for name, one in wanted.items()}

    def _ask(self, question: Callable[[tantivy.Searcher], Made]) -> list[Made]:
        if self._threads is None:
            return [question(one) for one in self._searchers]
        return list(self._threads.map(question, self._searchers))


def _added(answers: Sequence[dict[str, Any]], name: str, size: int) -> dict[str, Any]:
    counts: Counter[Any] = Counter()
    for answer in answers:
        for bucket in answer[name]["buckets"]:
            counts[bucket["key"]] += int(bucket["doc_count"])
    return {"buckets": [{"key": key, "doc_count": count} for key, count in counts.most_common(size)]}
