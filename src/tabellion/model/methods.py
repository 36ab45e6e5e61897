"""The methods that can be chosen for a step: one table that Python, the command line and HTTP are made from.

The first method of a step is its default. What a paper proposed is named after it or after its kind of model, so that
it can be compared with the default on the same files.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

ReaderMethod = Literal["auto", "learned", "staged"]
RowMethod = Literal["boosted", "crf", "paper"]
ParentMethod = Literal["boosted", "svm"]
GenuineMethod = Literal["boosted", "tree", "svm"]
HeaderMethod = Literal["boosted", "ontominer"]
FrameMethod = Literal["arranged", "gridded", "ventex"]
RenderChoice = Literal["never", "always", "auto"]


class Step(NamedTuple):
    """A step that can be done in several ways: the type of its setting, what is asked, and what each method is."""

    choice: Any
    question: str
    methods: dict[str, str]

    @property
    def default(self) -> str:
        return next(iter(self.methods))

    @property
    def help(self) -> str:
        """The question and its answers, in a sentence."""
        return f"{self.question}: " + "; ".join(f"{name}: {what}" for name, what in self.methods.items()) + "."


STEPS: dict[str, Step] = {
    "reader": Step(
        ReaderMethod,
        "How tables, headers and header trees are found in a grid",
        {
            "auto": "learned for spreadsheets, staged for web pages and PDF files",
            "learned": "a network over the cells, and the most likely whole reading",
            "staged": "rows, frames and parents one after the other, by the methods below",
        },
    ),
    "rows": Step(
        RowMethod,
        "How the rows of a sheet are labelled",
        {
            "boosted": "boosted trees, decoded as a chain",
            "crf": "a CRF with all features",
            "paper": "the CRF of Chen and Cafarella 2013 with their features only",
        },
    ),
    "parents": Step(
        ParentMethod,
        "How the parents of headers are found",
        {"boosted": "boosted trees", "svm": "the linear SVM of Chen and Cafarella 2013"},
    ),
    "genuine": Step(
        GenuineMethod,
        "How tables of data are separated from layout tables",
        {
            "boosted": "boosted trees",
            "tree": "the decision tree of Wang and Hu 2002",
            "svm": "the SVM of Wang and Hu 2002",
        },
    ),
    "headers": Step(
        HeaderMethod,
        "How the headers of web and printed tables are found",
        {"boosted": "boosted trees", "ontominer": "the clustering of OntoMiner 2005"},
    ),
    "frames": Step(
        FrameMethod,
        "How tables are found among the boxes of a rendered page",
        {
            "arranged": "by how boxes are arranged",
            "gridded": "the same, on the double topological grid of VENTex 2007",
            "ventex": "the expansion and the grid of VENTex 2007",
        },
    ),
}
