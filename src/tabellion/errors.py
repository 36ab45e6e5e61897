"""The errors that tabellion raises.

An exception is for input that cannot be read; uncertainty is data (an `Issue`).
Each error names its `kind` (a stable word for programs) and reads as one line for people.
"""


class TabellionError(Exception):
    """Base of all errors that tabellion raises on purpose."""

    kind = "error"


class UnreadableError(TabellionError):
    """The document cannot be read; `kind` and the message give the reason and what to do."""

    kind = "unreadable"


class SourceMissingError(UnreadableError):
    """There is nothing at the given path."""

    kind = "missing"


class EncryptedError(UnreadableError):
    """The document is protected by a password."""

    kind = "encrypted"


class TruncatedError(UnreadableError):
    """The document ends too early or its container is damaged."""

    kind = "truncated"


class UnknownFormatError(UnreadableError):
    """The bytes are of no format that tabellion reads."""

    kind = "unknown-format"


class MalformedError(UnreadableError):
    """The document is of a known format but breaks its rules beyond repair."""

    kind = "malformed"


class HostileError(UnreadableError):
    """The document looks like an attack: a zip or XML bomb, external entities."""

    kind = "hostile"


class TooLargeError(UnreadableError):
    """The document is over a stated limit; the message names the limit and how to raise it."""

    kind = "too-large"


class CrashError(UnreadableError):
    """The process that read the document crashed."""

    kind = "crash"


class MissingExtraError(TabellionError):
    """A feature needs an extra; the message names it."""

    kind = "missing-extra"


class WeightsError(TabellionError):
    """A file of learned weights is missing or is not what its reader expects."""

    kind = "weights"


class UsageError(TabellionError):
    """The call is wrong: an unknown sheet, option or setting."""

    kind = "usage"


class LibraryError(TabellionError):
    """The library cannot be opened, read or written; the message gives the reason and what to do."""

    kind = "library"


class QueryError(TabellionError):
    """A query is wrong, forbidden, or over its limits of time or memory."""

    kind = "query"


class RepairError(TabellionError):
    """A correction names no existing place, changes nothing, or does not fit."""

    kind = "repair"


class ConflictError(RepairError):
    """A correction contradicts one of somebody else; the message names it."""

    kind = "conflict"
