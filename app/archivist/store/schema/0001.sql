-- Times are UTC milliseconds. Texts have passed the gate. Ids of turns order nothing: `seq` does.

create table meta (
  key text primary key,
  value text not null
) without rowid;

create table source_file (
  id integer primary key,
  source text not null,
  path text not null unique,
  cursor text,
  tally text,
  read_at integer,
  unfinished integer not null default 0,
  gone_at integer,
  trouble text
);

create table session (
  id integer primary key,
  source text not null,
  native_id text not null,
  parent text,
  relation text,
  cwd text,
  branch text,
  title text,
  started_at integer,
  file_id integer references source_file (id),
  unique (source, native_id)
);

create table segment (
  id text primary key,
  session_id integer not null references session (id) on delete cascade,
  project text,
  state text not null default 'open' check (state in ('open', 'closed', 'recapped')),
  reason text,
  exchanges integer not null default 0,
  start_at integer,
  end_at integer,
  centroid blob,
  centroid_count integer not null default 0,
  opened_at integer not null,
  closed_at integer
);
create unique index segment_open on segment (session_id) where state = 'open';
create index segment_session on segment (session_id, start_at);

create table episode (
  id integer primary key,
  session_id integer not null references session (id) on delete cascade,
  seq integer not null,
  role text not null check (role in ('user', 'assistant', 'task')),
  at integer,
  until integer,
  text text not null,
  project text,
  branch text,
  model text,
  message_key text not null unique,
  queued integer not null default 0,
  redacted text,
  withheld integer not null default 0,
  failed_tools text,
  segment_id text references segment (id) on delete set null,
  unique (session_id, seq)
);
create index episode_segment on episode (segment_id, seq);
create index episode_unfiled on episode (session_id, seq) where segment_id is null;

create table tool_call (
  id integer primary key,
  episode_id integer not null references episode (id) on delete cascade,
  seq integer not null,
  call_key text not null,
  name text not null,
  arguments text not null,
  outcome text not null default 'pending',
  output text not null default '',
  at integer,
  unique (episode_id, call_key)
);

create virtual table episode_fts using fts5 (
  words, tools, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

create table recap (
  segment_id text primary key references segment (id) on delete cascade,
  text text not null,
  maker text not null,
  note text,
  made_at integer not null
);

create table vector (
  owner text not null,
  owner_id text not null,
  model text not null,
  dim integer not null,
  data blob not null,
  primary key (owner, owner_id, model)
) without rowid;

create table event (
  id integer primary key,
  segment_id text not null references segment (id) on delete cascade,
  episode_id integer not null references episode (id) on delete cascade,
  kind text not null,
  quote text not null,
  adopted text not null default '',
  cue text not null,
  confidence real not null,
  lang text not null,
  at integer,
  unique (episode_id, kind, quote)
);
create index event_segment on event (segment_id);

create table facet (
  id integer primary key,
  kind text not null,
  slot text not null,
  project text not null default '',
  value text not null,
  confidence real not null,
  evidence_count integer not null,
  first_at integer,
  last_at integer,
  value_at integer,
  unique (kind, slot, project)
);

create table facet_value (
  facet_id integer not null references facet (id) on delete cascade,
  event_id integer not null references event (id) on delete cascade,
  value text not null,
  confidence real not null,
  at integer,
  primary key (facet_id, event_id)
) without rowid;

create table lesson (
  id integer primary key,
  category text not null,
  kind text not null,
  text text not null,
  said text not null,
  norm text not null,
  project text not null default '',
  scope text not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'kept', 'rejected', 'later', 'retired')),
  correction integer not null default 0,
  untrusted integer not null default 0,
  confidence real not null,
  lang text not null,
  made_at integer not null,
  changed_at integer not null,
  unique (norm, project)
);
create index lesson_state on lesson (state);

create table evidence (
  lesson_id integer not null references lesson (id) on delete cascade,
  episode_id integer not null references episode (id) on delete cascade,
  quote text not null,
  primary key (lesson_id, episode_id, quote)
) without rowid;

create table rejection (
  norm text not null,
  project text not null default '',
  reason text,
  at integer not null,
  primary key (norm, project)
) without rowid;

create table memory_target (
  id integer primary key,
  path text not null unique,
  project text not null default '',
  enabled_at integer not null,
  disabled_at integer
);

create table proposal (
  id integer primary key,
  target_id integer not null references memory_target (id) on delete cascade,
  base_sha text,
  base blob,
  state text not null default 'open' check (state in ('open', 'applied', 'withdrawn')),
  made_at integer not null
);
create unique index proposal_open on proposal (target_id) where state = 'open';

-- A number that a person approves by never comes to mean another change.
create table hunk (
  id integer primary key autoincrement,
  proposal_id integer not null references proposal (id) on delete cascade,
  seq integer not null,
  heading text not null,
  removed text not null,
  added text not null,
  lessons text not null,
  preselected integer not null,
  state text not null default 'open' check (state in ('open', 'written', 'rejected')),
  unique (proposal_id, seq)
);

create table file_write (
  id integer primary key,
  proposal_id integer references proposal (id) on delete set null,
  path text not null,
  state text not null default 'planned'
    check (state in ('planned', 'written', 'undoing', 'undone')),
  before blob,
  after blob not null,
  before_sha text,
  after_sha text not null,
  hunks text not null,
  planned_at integer not null,
  written_at integer
);

create table job (
  id integer primary key,
  segment_id text not null references segment (id) on delete cascade,
  stage text not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  attempts integer not null default 0,
  next_try integer not null default 0,
  owner text,
  lease_until integer,
  trouble text,
  unique (segment_id, stage)
);
create index job_open on job (id) where state in ('waiting', 'running');

create table command (
  id integer primary key,
  name text not null,
  label text not null,
  inverse text not null,
  caller text,
  at integer not null,
  undone_at integer
);

create table problem (
  key text primary key,
  message text not null,
  advice text not null,
  count integer not null default 1,
  first_at integer not null,
  last_at integer not null
) without rowid;
