"""Who may say what, held by the database itself: triggers that refuse what no caller may write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

WHO_MAY_SAY_WHAT = """
CREATE TRIGGER only_the_user_makes_rules BEFORE INSERT ON belief
WHEN new.provenance IN ('agent', 'tool') AND (new.kind = 'rule' OR new.locked = 1)
BEGIN SELECT RAISE(ABORT, 'only the user can make a rule or a lock'); END;

CREATE TRIGGER imported_rules_wait_for_consent BEFORE INSERT ON belief
WHEN new.provenance = 'import' AND (new.locked = 1 OR (new.kind = 'rule' AND new.state <> 'proposed'))
BEGIN SELECT RAISE(ABORT, 'an imported rule is a proposal until the user accepts it'); END;

CREATE TRIGGER only_the_user_locks BEFORE UPDATE OF locked, kind ON belief
WHEN (new.locked = 1 OR new.kind = 'rule') AND new.provenance <> 'user'
    AND (old.locked <> new.locked OR old.kind <> new.kind)
BEGIN SELECT RAISE(ABORT, 'only the user can make a rule or a lock'); END;

CREATE TRIGGER provenance_is_not_rewritten BEFORE UPDATE OF provenance ON belief
WHEN new.provenance <> old.provenance AND NOT (old.provenance = 'import' AND new.provenance = 'user'
    AND old.state = 'proposed' AND new.state = 'active')
BEGIN SELECT RAISE(ABORT, 'who said it is not rewritten'); END;

CREATE TRIGGER only_the_user_replaces_rules BEFORE UPDATE OF superseded_by, state ON belief
WHEN (old.kind = 'rule' OR old.locked = 1) AND new.superseded_by IS NOT NULL
    AND old.superseded_by IS NOT new.superseded_by
    AND (SELECT provenance FROM belief WHERE id = new.superseded_by) <> 'user'
BEGIN SELECT RAISE(ABORT, 'only the user can replace a rule or a lock'); END;

CREATE TRIGGER belief_text_is_immutable BEFORE UPDATE OF text, scope, created ON belief
WHEN new.text <> old.text OR new.created <> old.created
BEGIN SELECT RAISE(ABORT, 'a belief is superseded, not rewritten'); END;

CREATE TRIGGER turns_are_immutable BEFORE UPDATE OF text, role, at, session, position, provenance ON turn
BEGIN SELECT RAISE(ABORT, 'a turn is never changed'); END;

CREATE TRIGGER guards_come_from_user_rules BEFORE INSERT ON guard
WHEN (SELECT provenance FROM belief WHERE id = new.belief) <> 'user'
BEGIN SELECT RAISE(ABORT, 'only a rule of the user can be guarded'); END;

CREATE TRIGGER no_cycles BEFORE UPDATE OF superseded_by ON belief
WHEN new.superseded_by IS NOT NULL AND EXISTS (
    WITH RECURSIVE later(id) AS (
        SELECT new.superseded_by
        UNION SELECT b.superseded_by FROM belief b JOIN later ON b.id = later.id WHERE b.superseded_by IS NOT NULL)
    SELECT 1 FROM later WHERE id = new.id)
BEGIN SELECT RAISE(ABORT, 'a belief cannot come to supersede itself'); END;
"""

# Who is speaking stands in `meta` while somebody other than the user is (changes.speaking).
WHO_MAY_TAKE_BACK = """
CREATE TRIGGER only_the_user_takes_rules_back BEFORE UPDATE OF state, locked ON belief
WHEN old.provenance = 'user' AND (old.kind = 'rule' OR old.locked = 1)
    AND ((old.state = 'active' AND new.state IN ('retracted', 'archived', 'proposed')) OR new.locked < old.locked)
    AND coalesce((SELECT value FROM meta WHERE key = 'speaker'), 'user') <> 'user'
BEGIN SELECT RAISE(ABORT, 'only the user can take back a rule or a lock'); END;

CREATE TRIGGER only_the_user_adds_guards BEFORE INSERT ON guard
WHEN coalesce((SELECT value FROM meta WHERE key = 'speaker'), 'user') <> 'user'
BEGIN SELECT RAISE(ABORT, 'only the user can make a guard'); END;

CREATE TRIGGER only_the_user_changes_guards BEFORE UPDATE ON guard
WHEN coalesce((SELECT value FROM meta WHERE key = 'speaker'), 'user') <> 'user'
BEGIN SELECT RAISE(ABORT, 'only the user can change a guard'); END;
"""

# What an import suggests binds nobody yet: its newer reading may take the place of the older one, both still waiting.
WAITING_RULES_GIVE_WAY = """
DROP TRIGGER only_the_user_replaces_rules;
CREATE TRIGGER only_the_user_replaces_rules BEFORE UPDATE OF superseded_by, state ON belief
WHEN (old.kind = 'rule' OR old.locked = 1) AND new.superseded_by IS NOT NULL
    AND old.superseded_by IS NOT new.superseded_by
    AND NOT EXISTS (
        SELECT 1 FROM belief n WHERE n.id = new.superseded_by AND (n.provenance = 'user'
            OR (old.state = 'proposed' AND n.state = 'proposed' AND n.provenance = old.provenance)))
BEGIN SELECT RAISE(ABORT, 'only the user can replace a rule or a lock'); END;
"""


WHO_MAY_ALTER = """
CREATE TRIGGER IF NOT EXISTS only_the_user_removes_guards BEFORE DELETE ON guard
WHEN coalesce((SELECT value FROM meta WHERE key = 'speaker'), 'user') <> 'user'
BEGIN SELECT RAISE(ABORT, 'only the user can remove a guard'); END;

CREATE TRIGGER IF NOT EXISTS only_the_user_removes_rules BEFORE DELETE ON belief
WHEN old.provenance = 'user' AND (old.kind = 'rule' OR old.locked = 1)
    AND coalesce((SELECT value FROM meta WHERE key = 'speaker'), 'user') <> 'user'
BEGIN SELECT RAISE(ABORT, 'only the user can remove a rule or a lock'); END;

CREATE TRIGGER IF NOT EXISTS only_the_user_alters_rules BEFORE UPDATE OF kind, scope, state, valid_to ON belief
WHEN old.provenance = 'user' AND (old.kind = 'rule' OR old.locked = 1) AND old.state = 'active'
    AND (new.kind <> old.kind OR new.scope <> old.scope OR new.state <> old.state OR new.valid_to IS NOT old.valid_to)
    AND coalesce((SELECT value FROM meta WHERE key = 'speaker'), 'user') <> 'user'
BEGIN SELECT RAISE(ABORT, 'only the user can alter a rule or a lock'); END;
"""

# The user's consent makes a proposal theirs, whoever made it; taking that back makes it its maker's again.
CONSENT_MAKES_IT_THEIRS = """
DROP TRIGGER provenance_is_not_rewritten;
CREATE TRIGGER provenance_is_not_rewritten BEFORE UPDATE OF provenance ON belief
WHEN new.provenance <> old.provenance AND NOT (
    coalesce((SELECT value FROM meta WHERE key = 'speaker'), 'user') = 'user' AND (
        (new.provenance = 'user' AND old.state = 'proposed' AND new.state = 'active')
        OR (old.provenance = 'user' AND old.state = 'active' AND new.state = 'proposed')))
BEGIN SELECT RAISE(ABORT, 'who said it is not rewritten'); END;
"""


def who_may_alter(db: apsw.Connection) -> None:
    """While anybody else speaks, no rule or lock goes, ends, or changes its kind or place, and no guard goes."""
    db.execute(WHO_MAY_ALTER)


def who_may_take_back(db: apsw.Connection) -> None:
    """Rules, locks and guards are taken back and changed only while the user speaks."""
    db.execute(WHO_MAY_TAKE_BACK)


def waiting_rules_give_way(db: apsw.Connection) -> None:
    """A rule that waits for consent gives way to a newer one that waits too, and was suggested by the same."""
    db.execute(WAITING_RULES_GIVE_WAY)


def consent_makes_it_theirs(db: apsw.Connection) -> None:
    """What an agent or a tool suggested becomes the user's when they accept it, as an import's does."""
    db.execute(CONSENT_MAKES_IT_THEIRS)
