-- The list of segments is read from an index alone, newest first; lessons are found by their turns.

create index segment_list on segment (start_at, id, session_id, state, project);
create index evidence_episode on evidence (episode_id, lesson_id);
