-- How much time has really passed, for whatever removes what is old: written by the one node that removes, every minute and
-- after each jump of its clock. `word` counts how often an operator has said that the clock is right.
CREATE TABLE retention_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  state TEXT NOT NULL,
  word BIGINT NOT NULL
);
