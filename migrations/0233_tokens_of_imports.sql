-- The API token by which a checked file was uploaded, judged again or started: for the log, and to know by whose rights its rows were judged.
ALTER TABLE imports ADD COLUMN token_id uuid;
