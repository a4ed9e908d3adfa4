-- A write whose process was lost is given up once it can hardly reach the registrar any more. Should it strike even so, it
-- covers what others were told is in force; then it is known by its records (docs/decisions/0195).
ALTER TABLE zone_versions ADD COLUMN given_up boolean NOT NULL DEFAULT false;
CREATE INDEX zone_versions_given_up ON zone_versions (created_at) WHERE given_up;
