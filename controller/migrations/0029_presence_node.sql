-- Which node wrote a record: each reads what others have heard, again and again, and not what it has written itself.
ALTER TABLE presence ADD COLUMN node TEXT;
