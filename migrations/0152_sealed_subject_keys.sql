-- Keys of persons are sealed with the portal's keys from now on. Those that exist are sealed by a job, and resealed when the
-- portal's key changes (docs/decisions/0194).
GRANT UPDATE (key) ON subject_keys TO nameward_system;
