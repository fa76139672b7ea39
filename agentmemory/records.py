"""Values of the hot path: what is asked (`Query`) and what is found (`Hit`)."""

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Near = Callable[[Any, str, tuple[int, ...]], list[dict[int, float]]]

#: states of a belief, as a tuple and (it is written as SQL writes a list) for `IN`
HOLDS = ("active", "heard")  # what is true now, as far as anybody knows
FOLLOWED = (*HOLDS, "superseded")  # what leads recall to what holds
COMPARED = (*HOLDS, "proposed")  # what a new statement may repeat, replace or take back

#: the detail of an edge `supersedes` where what was replaced says more than what replaced it touches
IN_PART = "in part"


class Query:
    """A prompt, taken apart. Layer 0 fills what its words mean, layer 1 what they weigh; other layers read.

    text: the prompt. now: seconds since 1970. scopes: ids of the scopes it may read, nearest first.
    as_of: read the store as it was then.
    said: what is read of it as typed. plain: the same, its words of structure in English. stems: its words
    (text.stems), without repetitions, in order. pairs: neighbouring words. beside: the other words of what was pasted
    with it or said around it. tongue: the place of its language in `text.STRUCTURE`; -1 for English.
    verbs, targets, files, symbols: layer 0's findings, stems or lower-case strings.
    about_past: the question is about how things were ("at the start", "back then", "history of").
    asks: it is a question. work: it wants something done. routine: it wants all steps of something.
    weights: stem -> idf in bits, of the stems that were looked up. mass: bits of all that was typed, with words that
    nothing stored knows. known: share of its words that were ever said here. surely: bits by which the best hit shows
    that the prompt is about the user's own work.
    near: `(db, text, scopes)` -> for each demand of the text, how near in meaning beliefs stand (0 to 1, by id); None
    where no embedding is in memory, as in every hook. demands: how many it compared.
    saved: large blocks that the user's earlier prompts left over; below 0 they took more than their share.
    works: the user's talk in this project is at work, where few prompts need anything. tells: it surely tells how
    things are.
    beliefs: how many the store holds, as idf counts them. concepts: concept token -> what of the prompt means it.
    """

    __slots__ = (
        "about_past", "as_of", "asks", "beliefs", "beside", "concepts", "demands", "files", "known", "mass", "near",
        "now", "pairs", "plain", "routine", "said", "saved", "scopes", "stems", "surely", "symbols", "targets",
        "tells", "text", "tongue", "verbs", "weights", "work", "works",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        now: float,
        scopes: "tuple[int, ...]",
        as_of: "float | None" = None,
        near: "Near | None" = None,
    ) -> None:
        self.text = self.said = self.plain = text
        self.now = now
        self.scopes = scopes
        self.as_of = as_of
        self.near = near
        self.demands = 0
        self.stems: list[str] = []
        self.beside: list[str] = []
        self.pairs: list[str] = []
        self.verbs: list[str] = []
        self.targets: list[str] = []
        self.files: list[str] = []
        self.symbols: list[str] = []
        self.about_past = False
        self.asks = False
        self.tongue = -1
        self.work = False
        self.routine = False
        self.weights: dict[str, float] = {}
        self.concepts: dict[str, list[str]] = {}
        self.mass = 0.0
        self.known = 0.0
        self.surely = 0.0
        self.saved = 0.0
        self.works = False
        self.tells = True
        self.beliefs = 1


class Hit:
    """A belief (or a turn) that some layer brought, with the reasons.

    id: the row. what: "belief" or "turn". scores: layer name -> that layer's score (higher is better; only
    the order within a layer means anything). row: the columns the layers and the renderer need (a Row).
    matched: stem or concept of the prompt -> bits of evidence that this hit speaks to it. via: how its words were met
    (own, cue, concept, loose) -> bits. likely: how likely the prompt needs it (0 to 1).
    was: what it replaced, newest first. steps: the whole procedure that it is a piece of, in order.
    meant: whoever noted it said that it matters to what the prompt asks for. stood: it took the place of what stood on
    a day that the prompt asks of.
    again: (belief, how likely) for each that may speak again, later, of its matter. against: a hit beside it that
    contradicts it, 0 for none.
    source: session id and index of a turn, None where it was not read.
    """

    __slots__ = (
        "again", "against", "id", "likely", "matched", "meant", "reasons", "row", "score", "scores", "source", "steps",
        "stood", "via", "was", "what",
    )  # fmt: skip

    def __init__(self, id: int, row: "Row", what: str = "belief") -> None:
        self.id = id
        self.what = what
        self.row = row
        self.score = 0.0
        self.scores: dict[str, float] = {}
        self.matched: dict[str, float] = {}
        self.via: dict[str, float] = {}
        self.likely = 0.0
        self.meant = False
        self.stood = False
        self.reasons: list[str] = []
        self.was: list[Row] = []
        self.steps: list[Row] = []
        self.again: list[tuple[int, float]] = []
        self.against = 0
        self.source: tuple[str, int] | None = None


class Row:
    """One belief as recall sees it. brief: its sentences that carry what it says, "" where all do or all are shown.
    rest: how likely the others carry something. gist: the words that the block shows, "" for the text itself.
    perhaps: told on the line of a later one that only may speak of its matter. of: the belief that replaced it, where
    that is told on the line of another one, 0 where it leads its line. in_part: what replaced it leaves some of it."""

    __slots__ = (
        "alpha",
        "beta",
        "brief",
        "confirmed",
        "context",
        "created",
        "cues",
        "gist",
        "id",
        "in_part",
        "kind",
        "level",
        "locked",
        "of",
        "perhaps",
        "provenance",
        "rest",
        "scope",
        "state",
        "superseded_by",
        "terms",
        "text",
        "triggers",
        "valid_from",
        "valid_to",
    )  # fmt: skip

    #: the columns of `belief` in the order of the constructor
    COLUMNS = (
        "id, scope, kind, level, text, terms, context, triggers, provenance, state, locked, alpha, beta,"
        " valid_from, valid_to, created, confirmed, superseded_by, cues"
    )

    def __init__(
        self, id: int, scope: int, kind: str, level: int, text: str, terms: str, context: str, triggers: str,
        provenance: str, state: str, locked: int, alpha: float, beta: float, valid_from: float,
        valid_to: "float | None", created: float, confirmed: float, superseded_by: "int | None", cues: str = "",
    ) -> None:  # fmt: skip
        self.id = id
        self.scope = scope
        self.kind = kind
        self.level = level
        self.text = text
        self.terms = terms
        self.context = context
        self.triggers = triggers
        self.provenance = provenance
        self.state = state
        self.locked = locked
        self.alpha = alpha
        self.beta = beta
        self.valid_from = valid_from
        self.valid_to = valid_to
        self.created = created
        self.confirmed = confirmed
        self.superseded_by = superseded_by
        self.cues = cues
        self.brief = ""
        self.rest = 0.0
        self.gist = ""
        self.perhaps = False
        self.of = 0
        self.in_part = False


def marks(values: "Sequence[object]") -> str:
    """Placeholders for `IN (...)`."""
    return ", ".join("?" * len(values))
