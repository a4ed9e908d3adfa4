-- Every other index of domains leaves out those that have ended. A statement that asks for one organization's names without saying
-- so, or says it by a parameter, read the names of all organizations.
CREATE INDEX domains_of_organisation ON domains (organisation_id, address);
