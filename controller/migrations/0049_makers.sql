-- Who takes what many callers share.

-- One row for each total: whoever makes one more changes it first, so that two at the same moment count one after the other.
CREATE TABLE share_totals (
  code {{key}} NOT NULL PRIMARY KEY,
  changes BIGINT NOT NULL
);

-- Who asks; null for what Weft asks by itself.
ALTER TABLE emulator_requests ADD COLUMN asked_kind TEXT;
ALTER TABLE emulator_requests ADD COLUMN asked_by TEXT;
