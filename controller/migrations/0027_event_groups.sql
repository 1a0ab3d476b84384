-- Events about many agents at once, which are few: the events of one agent are looked for among them too.
CREATE INDEX event_log_groups ON event_log (id) WHERE subject_kind = 'agents';
