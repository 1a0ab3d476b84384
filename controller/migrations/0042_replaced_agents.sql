-- The generated password that an access point had before somebody else gave it another one: the machine that still has it is told
-- that it was replaced, and does not count as one that guesses.
ALTER TABLE agents ADD COLUMN replaced_hash TEXT;
