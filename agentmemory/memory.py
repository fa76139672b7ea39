"""The public face in Python: one store, seen from one project, for one speaker."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from agentmemory import nearness, paths, seen, typed
from agentmemory.records import Query, Row
from agentmemory.store import beliefs, changes, forget, listing, retrievals, scopes, turns, undo, writer
from agentmemory.values import Added, Candidate, Forgotten, Found, Outcome, Reinforced, Superseded, Utterance

if TYPE_CHECKING:
    import apsw

    from agentmemory.explore.reason import Argument
    from agentmemory.explore.wonder import Briefing
    from agentmemory.learn.digest import Report
    from agentmemory.respond import Response
    from agentmemory.store.forget import Holding


class Memory:
    """Everything a person or a program does to the memory.

    Args:
        home: the data folder (default: `AGENTMEMORY_HOME` or the platform's).
        project: a folder of the project (default: the current folder); "" for the user's own scope.
        agent: a namespace below the project.
        speaker: provenance of what is said through this object: user, agent, tool or import.
    """

    def __init__(
        self, home: str | None = None, project: str | None = None, agent: str = "", speaker: str = "user"
    ) -> None:
        self.home = home or paths.home()
        self.speaker = speaker
        self.db: apsw.Connection = writer.open_to_ask(self.home)
        self.folder = "" if project == "" else project or os.getcwd()
        self.scope = self._scope(project, agent)

    @classmethod
    def open(cls, home: str | None = None, **where: str) -> Memory:
        """The same as the constructor, for those who like to read it."""
        return cls(home, **where)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    @property
    def scopes(self) -> tuple[int, ...]:
        """What a query from here may read, nearest first."""
        return scopes.visible(self.db, self.scope)

    # -- what is taught ------------------------------------------------------------------------

    def learn(self, transcript: str, batch: int = 0) -> Report:
        """Digest a transcript now, from where the last time ended, without a model; *batch*: one to undo it with."""
        from agentmemory.learn.digest import digest

        return digest(self.db, transcript, paths.now(), batch)

    def add_turns(self, session: str, said: Sequence[Utterance]) -> list[int | None]:
        """Keep what was said in a session, in order, secrets redacted; nothing is learned from it.

        Returns:
            the id of each turn, None for a position that is known and stays as it is.

        Raises:
            ForeignSession: another project or agent has a session of this name.
        """
        from agentmemory.learn.redact import redact

        clean = [replace(u, text=redact(u.text), at=u.at or paths.now()) for u in said]
        if not clean:
            return []
        with writer.transaction(self.db):
            row = turns.own_session(self.db, session, self.scope, min(u.at for u in clean))
            return turns.add(self.db, row, clean)

    def remember(
        self, text: str, kind: str = "fact", *, when: str = "", everywhere: bool = False, tags: str = "",
        keywords: str = "", context: str = "", locked: bool = False, at: str = "", replaces: int | None = None,
    ) -> Outcome:  # fmt: skip
        """Hold a statement. *when*: what calls for it (verbs, tools, files), in plain words; *replaces*: what it makes
        untrue, which stays where it is a rule or locked and somebody else than the user says so.

        *at*: since when it is true, ISO 8601 or digits alone (`202503021500`), without an offset
        the user's own time; now by default.

        Raises:
            ValueError: *at* is no time, or one to come.
            UnknownBelief: there is none of the id *replaces*, or it was taken back or replaced.
        """
        from agentmemory.learn.stated import announces

        candidate = Candidate(
            kind=kind, text=text, provenance=self.speaker, scope=scopes.USER if everywhere else self.scope,
            at=paths.parse_since(at) if at else paths.now(),
            triggers=when, tags=tags, keywords=keywords, context=context, locked=locked, updates=announces(text),
            supersedes=() if replaces is None else (beliefs.standing(self.db, replaces).id,),
        )  # fmt: skip
        return self._revise("remember", candidate)

    def lock(self, what: str | int, *, when: str = "", everywhere: bool = False) -> Outcome:
        """Make a rule stand always: an existing belief by id (a proposal becomes the user's own), or new words.

        Where it forbids an action that can be seen before it happens, it is enforced from then on (see guards).

        Raises:
            UnknownBelief: there is none of this id, or it was taken back or replaced.
        """
        if isinstance(what, int):
            held = beliefs.standing(self.db, what)
            if held.provenance != "user":
                return self._revise("lock", Candidate(
                    kind="rule", text=held.text, provenance=self.speaker, scope=held.scope, at=paths.now(),
                    triggers=held.triggers, context=held.context, supersedes=(held.id,), locked=True,
                ))  # fmt: skip
            with writer.transaction(self.db):
                changes.begin(self.db, "lock")
                beliefs.set_locked(self.db, what, True, paths.now())
                self._enforce(what)
            return Reinforced(what)
        return self.remember(what, "rule", when=when, everywhere=everywhere, locked=True)

    def propose(self, text: str, *, when: str = "", everywhere: bool = False) -> Outcome:
        """Hold a rule back until the user accepts it with `lock`: nothing recalls it before."""
        candidate = Candidate(
            kind="preference", text=text, provenance=self.speaker, scope=scopes.USER if everywhere else self.scope,
            at=paths.now(), triggers=when, proposal=True,
        )  # fmt: skip
        return self._revise("propose", candidate)

    def belief(self, id: int) -> Row:
        """One belief, whatever its state.

        Raises:
            UnknownBelief: there is none of this id.
        """
        return beliefs.get(self.db, id)

    def unlock(self, belief: int) -> None:
        """Let a rule be an ordinary belief again; its guards rest.

        Raises:
            UnknownBelief: there is none of this id, or it was taken back or replaced.
        """
        from agentmemory.learn import enforcement

        beliefs.standing(self.db, belief)
        with writer.transaction(self.db):
            changes.begin(self.db, "unlock")
            beliefs.set_locked(self.db, belief, False, paths.now())
            enforcement.release(self.db, belief, paths.now())

    def correct(self, what: str | int, text: str) -> Outcome:
        """Replace a belief (by id, or by words only it holds) with what is true now.

        Raises:
            UnknownBelief: there is none of this id, or it was taken back or replaced.
            UnknownText: no belief holds the words, or several do.
        """
        old = beliefs.standing(self.db, what if isinstance(what, int) else listing.only(self.db, what, self.scopes))
        kind = old.kind if old.kind in ("rule", "preference", "procedure") else "correction"
        candidate = Candidate(
            kind=kind, text=text, provenance=self.speaker, scope=old.scope, at=paths.now(),
            triggers=old.triggers, context=old.context, supersedes=(old.id,), locked=bool(old.locked),
        )  # fmt: skip
        return self._revise("correct", candidate)

    def forget(self, what: str | int, *, everywhere: bool = False) -> Forgotten:
        """Remove a belief and the turns that said it (by id), or all that holds the words (see `holding`), with
        what sleep made of those turns. What only the removed had replaced holds again.

        Returns the ids removed, as `{"beliefs": [...], "turns": [...]}`: false when there was nothing to remove.
        """
        held = forget.one(self.db, what) if isinstance(what, int) else self.holding(what, everywhere=everywhere)
        if not held:
            return Forgotten()
        with writer.transaction(self.db):
            changes.begin(self.db, "forget")
            again = forget.remove(self.db, held, str(what), self.scope, paths.now())
        seen.forget(self.home, held.beliefs, again)
        self._forget_segments([*held.beliefs, *held.cued])  # the rest is made up for by the worker, if need be
        return Forgotten(held.beliefs, held.turns, held.cued, again, forget.scrub(self.db))

    def holding(self, words: str, *, everywhere: bool = False) -> Holding:
        """What holds these whole words: of this project and the user's own scope, or *everywhere*.

        Raises:
            ValueError: there are no words.
        """
        if not words.strip():
            raise ValueError("say which belief, or words that it holds")
        return forget.matching(self.db, words, None if everywhere else (self.scope, scopes.USER))

    def feedback(self, belief: int, outcome: str, detail: str = "") -> None:
        """Evidence from use. *outcome*: helped, wrong or outdated.

        Raises:
            UnknownBelief: there is none of this id.
        """
        from agentmemory.learn.redact import redact

        weight = {"helped": 1.0, "wrong": -2.0, "outdated": -2.0}[outcome]
        with writer.transaction(self.db):
            changes.begin(self.db, "feedback")
            known = beliefs.get(self.db, belief).id  # another process may have forgotten it meanwhile
            beliefs.witness(self.db, known, outcome, weight, paths.now(), detail=redact(detail))

    def accept(self, belief: int) -> Outcome:
        """The user agrees to a proposal: it stands from now on, as the user's own. `lock` makes it stand always."""
        from agentmemory.learn import proposals

        with writer.transaction(self.db):
            changes.begin(self.db, "accept")
            return proposals.accept(self.db, belief, paths.now())

    def reject(self, belief: int) -> None:
        """The user does not want a proposal; the same one is not made again."""
        from agentmemory.learn import proposals

        with writer.transaction(self.db):
            changes.begin(self.db, "reject")
            proposals.reject(self.db, belief, paths.now())

    def undo(self, batch: int | None = None) -> list[tuple[str, int]]:
        """Take back a batch of changes, by default the last one of this project or of the user's own scope.

        Raises:
            CannotUndo: what it changed was changed again since, or is gone for good.
        """
        with writer.transaction(self.db):
            chosen = undo.last(self.db, (self.scope, scopes.USER)) if batch is None else batch
            changes.begin(self.db, "undo")
            return undo.undo(self.db, chosen, paths.now()) if chosen is not None else []

    # -- what is asked -------------------------------------------------------------------------

    def recall(self, prompt: str) -> str:
        """The block that the prompt hook would put before an agent, "" for silence."""
        from agentmemory.recall.pipeline import block

        return block(self.db, self._query(typed.asked(prompt)), folder=self.folder)

    def search(
        self, query: str, limit: int = 10, *, as_of: float | None = None, turns: bool = True, links: bool = False
    ) -> list[Found]:
        """Beliefs and turns that speak to a query, best first; *links* adds what one edge leads to.

        Each belief returned counts one retrieval more (see `read`).
        """
        from agentmemory.recall.search import search

        asked = self._query(query, as_of=as_of)
        found = [listing.found(self.db, hit) for hit in search(self.db, asked, limit, turns=turns, links=links)]
        returned = [each.id for each in found if each.what == "belief"]
        if returned:  # and where nothing can be written, what was found is told all the same
            failed = (OSError, writer.Unwritable, writer.StoreBusy, *writer.UNWRITABLE)
            with suppress(*failed), writer.patient(retrievals.PATIENCE), writer.transaction(self.db):
                retrievals.count(self.db, returned, paths.now())
        return found

    def nowhere(self, query: str) -> list[str]:
        """The names like codes in a query (`PCL-211`) that nothing seen from here holds: no hit is about them."""
        from agentmemory.recall.exact import nowhere

        return nowhere(self.db, query, self.scopes)

    def read(self, belief: int) -> dict[str, Any] | None:
        """A belief whole: words, cues, times, evidence, neighbours, injections, retrievals; None when there is none."""
        from agentmemory.store import graphview

        return graphview.life(self.db, belief)

    def turn(self, id: int) -> dict[str, Any] | None:
        """A turn whole, with three before and after it and the beliefs that it said; None when there is none."""
        from agentmemory.store import graphview

        return graphview.turn(self.db, id)

    def respond(self, question: str, session: str = "", branch: str = "") -> Response:
        """The configured model's answer from what is remembered, kept as turns; without a model, the context alone."""
        from agentmemory.respond import respond

        return respond(self, question, session, branch)

    def wonder(self, topic: str) -> Briefing:
        """Explore the graph around a topic."""
        from agentmemory.explore.wonder import wonder

        return wonder(self.db, topic, self.scopes, paths.now())

    def reason(self, question: str) -> Argument:
        """Test a hypothesis against what is stored."""
        from agentmemory.explore.reason import reason

        return reason(self.db, question, self.scopes, paths.now())

    def why(self, prompt: str) -> str:
        """Every layer's hits for a prompt, with scores, and what was cut."""
        from agentmemory.recall.explain import why

        return why(self.db, self._query(typed.asked(prompt)), self.folder)

    def why_not(self, belief: int, prompt: str) -> str:
        """Where on its way a belief was lost for a prompt."""
        from agentmemory.recall.explain import why_not

        return why_not(self.db, belief, self._query(typed.asked(prompt)))

    def stats(self) -> dict[str, Any]:
        """How much of everything there is, how it was obeyed, the profile, what models cost, what sleep brought."""
        from agentmemory.stats import stats

        return stats(self.db, self.home, self.scopes)

    def export(self) -> Iterator[dict[str, Any]]:
        """Every belief visible from here, oldest first."""
        return listing.export(self.db, self.scopes)

    def import_beliefs(self, rows: Iterable[dict[str, Any]]) -> list[Outcome]:
        """Beliefs of an export, as proposals that wait for the user's consent.

        Raises:
            ValueError: a row is not one of an export; nothing was changed.
        """
        return self._import(enumerate(rows, 1))

    def import_file(self, path: str) -> list[Outcome]:
        """The same from a file of JSON lines."""
        from agentmemory.learn.imported import read

        return self._import(read(path))

    # -- within --------------------------------------------------------------------------------

    def _scope(self, project: str | None, agent: str) -> int:
        if project == "":
            return scopes.USER
        key, fingerprint = paths.project_of(project or os.getcwd())
        known = scopes.settled(self.db, key, fingerprint, agent)
        if known is not None:
            return known  # who only asks waits for no writer and needs no room on the disk
        with writer.transaction(self.db):
            found = scopes.project(self.db, key, fingerprint, paths.now())
            return scopes.agent(self.db, agent, found, paths.now()) if agent else found

    def _query(self, text: str, as_of: float | None = None) -> Query:
        query = Query(text, paths.now(), self.scopes, as_of, nearness.of(self.home))
        query.saved = seen.saved(self.home)
        return query

    def _revise(self, actor: str, candidate: Candidate) -> Outcome:
        from agentmemory.learn.revise import revise  # asking does not need what teaching loads

        with writer.transaction(self.db):
            changes.begin(self.db, actor)
            done = revise(self.db, candidate, paths.now())
            if candidate.locked and isinstance(done, Added | Reinforced | Superseded):
                self._enforce(done.id)
            return done

    def _import(self, rows: Iterable[tuple[int, Any]]) -> list[Outcome]:
        from agentmemory.learn import imported
        from agentmemory.learn.revise import revise

        found = imported.candidates(rows, self.scope, scopes.USER)
        with writer.transaction(self.db):
            changes.begin(self.db, "import")
            return [revise(self.db, candidate, paths.now()) for candidate in found]

    def _enforce(self, rule: int) -> None:
        """What the user locks is enforced before a tool runs, where it forbids an action."""
        from agentmemory.learn import enforcement

        if self.speaker == "user":
            enforcement.enforce(self.db, rule, paths.now())

    def _forget_segments(self, gone: list[int]) -> None:
        """Prefixes on disk that hold the tokens of a forgotten belief."""
        folder = os.path.join(self.home, paths.SEGMENTS)
        if os.path.isdir(folder):
            from agentmemory.model.segments import forget_beliefs

            forget_beliefs(folder, gone)
