-- Lists of customers pass contacts on as they are stored, so the database keeps nothing in them that the contract does not show. Every
-- writer has written these fields and no others; should a row hold another one, it is cut.
CREATE FUNCTION contact_shown(contact jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT contact - '{organization,firstName,lastName,address1,address2,address3,city,state,postalCode,country,email,phone}'::text[]
    = '{}'::jsonb
$$;

UPDATE customers SET
  owner = (SELECT jsonb_object_agg(key, value) FROM jsonb_each(owner) WHERE contact_shown(jsonb_build_object(key, value))),
  admin = (SELECT jsonb_object_agg(key, value) FROM jsonb_each(admin) WHERE contact_shown(jsonb_build_object(key, value))),
  billing_contact = (SELECT jsonb_object_agg(key, value) FROM jsonb_each(billing_contact)
    WHERE contact_shown(jsonb_build_object(key, value)))
WHERE NOT (contact_shown(owner) AND contact_shown(admin) AND contact_shown(billing_contact));

ALTER TABLE customers ADD CONSTRAINT customers_contacts_shown
  CHECK (contact_shown(owner) AND contact_shown(admin) AND contact_shown(billing_contact));
