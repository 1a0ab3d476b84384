-- What a user may do where: a JSON array of {role, selector}. Empty: a viewer of all.
ALTER TABLE users ADD COLUMN grants TEXT NOT NULL DEFAULT '[]';

-- The labels of the access points that an enrolment token registers. `managed_by`: the id of the user who created it by a grant,
-- and must still manage what it registers; NULL for those of administrators.
ALTER TABLE enrolment_tokens ADD COLUMN site_id {{key}} REFERENCES sites (id) ON DELETE SET NULL;
ALTER TABLE enrolment_tokens ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE enrolment_tokens ADD COLUMN managed_by {{key}};
