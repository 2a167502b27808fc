"""The questions by which segments are found: with filters, with words, and in order."""

from typing import Final

from archivist.domain.segment_list import UNFILED, Narrowing, Order
from archivist.store.unfiled import LOOSE

_NARROWED: Final = """
  (:source is null or g.session_id in (
    select id from session where source = :source or source like :sources escape '~'))
  and (:project is null or g.project = :project
    or g.project like :folder escape '~' or g.project like :windows escape '~')
  and (:after is null or g.start_at >= :after)
  and (:before is null or g.start_at < :before)
  and (:is_open is null or (g.state = 'open') = :is_open)
  and (not :has_lessons or g.id in (
    select e.segment_id from evidence v
    join lesson l on l.id = v.lesson_id
    join episode e on e.id = v.episode_id
    where l.state not in ('rejected', 'retired')))
"""
IDS: Final = f"""
select g.id, g.start_at from segment g
where {_NARROWED}
"""  # noqa: S608 - one constant inside another
LOOSE_IDS: Final = f"""
select g.id, g.start_at from ({LOOSE}) g
where {_NARROWED}
"""  # noqa: S608 - the same
BY_TIME: Final = {
    Order.NEWEST: "order by g.start_at desc, g.id desc",
    Order.OLDEST: "order by g.start_at is null, g.start_at, g.id",
}
_PASSING: Final = f"""
  select e.id from segment g join episode e on e.segment_id = g.id where {_NARROWED}
  union all
  select e.id from segment g join episode e on e.session_id = g.session_id
  where g.state = 'open' and e.segment_id is null and {_NARROWED}
  union all
  select e.id from ({LOOSE}) g join episode e on e.session_id = g.session_id
  where e.segment_id is null and {_NARROWED}
"""  # noqa: S608 - the same


def _hits(passing: str) -> str:
    """Return the question for the best turns, of those that pass the filters."""
    return f"""
with found as materialized (
  select coalesce(e.segment_id, o.id, '{UNFILED}' || e.session_id) as segment,
    e.id as turn, count(*) as turns, min(f.score) as score
  from (select rowid, bm25(episode_fts, 1.0, 0.4) as score from episode_fts
        where episode_fts match :match {passing} order by score limit :pool) f
  join episode e on e.id = f.rowid
  left join segment o
    on e.segment_id is null and o.session_id = e.session_id and o.state = 'open'
  group by 1)
select g.id, g.turn, g.turns from (
  select h.segment as id, h.turn, h.turns, h.score,
    coalesce(o.start_at, l.start_at) as start_at, coalesce(o.project, l.project) as project,
    coalesce(o.session_id, l.session_id) as session_id, coalesce(o.state, l.state) as state
  from found h
  left join segment o on o.id = h.segment
  left join ({LOOSE}) l on l.id = h.segment) g
where {_NARROWED}
"""  # noqa: S608 - constants inside another


HITS: Final = _hits("")
NARROWED_HITS: Final = _hits(f"and +rowid in ({_PASSING})")
"""The sign keeps SQLite from asking the index once for each of the turns."""
HITS_BY: Final = {Order.BEST: "order by g.score, g.start_at desc, g.id", **BY_TIME}
IS_MANY: Final = """
select count(*) > :pool
from (select 1 from episode_fts where episode_fts match :match limit :pool + 1)
"""


def narrowing_values(narrowing: Narrowing) -> dict[str, object]:
    """Return the filters as the values of these questions."""
    project, source = narrowing.project, narrowing.source
    return {
        "source": source,
        "sources": None if source is None else f"{_literal(source)}-%",
        "project": project,
        "folder": None if project is None else f"%/{_literal(project)}",
        "windows": None if project is None else f"%\\{_literal(project)}",
        "after": narrowing.after,
        "before": narrowing.before,
        "is_open": narrowing.is_open,
        "has_lessons": narrowing.has_lessons,
    }


def _literal(text: str) -> str:
    return text.replace("~", "~~").replace("%", "~%").replace("_", "~_")
