-- What follows a version of a zone, in one trigger instead of four. The conditions of the four were read as text and prepared again with
-- every statement; those of a function are prepared once a session. Two of them did work for nothing: a version whose outcome was
-- never in doubt marked the organization's attention all the same, and a zone that is looked at soon anyway was written down again.
DROP TRIGGER health_follows ON zone_versions;
DROP TRIGGER templates_watch_new ON zone_versions;
DROP TRIGGER templates_watch ON zone_versions;
DROP TRIGGER attention_changed ON zone_versions;
DROP FUNCTION look_at_health();
DROP FUNCTION watch_templates();

CREATE FUNCTION follow_zone_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.state IS NOT DISTINCT FROM NEW.state THEN
      RETURN NULL;
    END IF;
    -- An entry tells of an unknown outcome until another version has followed it. This row is among those that are looked at.
    IF OLD.state = 'unknown'
      OR EXISTS (SELECT FROM zone_versions WHERE domain_id = NEW.domain_id AND state = 'unknown') THEN
      INSERT INTO attention_marks (organisation_id, cause) VALUES (NEW.organisation_id, 'zone-write');
    END IF;
    -- A zone that was changed is looked at again once the world has heard of it.
    IF NEW.state = 'applied' THEN
      UPDATE health_checks SET next_at = now() + interval '1 minute'
      WHERE domain_id = NEW.domain_id AND next_at > now() + interval '1 minute';
    END IF;
  END IF;
  -- A zone has become another: whether it still is as its templates want is looked at now.
  IF NEW.state IN ('applied', 'found') THEN
    UPDATE dns_template_uses SET next_at = 'epoch' WHERE domain_id = NEW.domain_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follows AFTER INSERT OR UPDATE OF state ON zone_versions
  FOR EACH ROW EXECUTE FUNCTION follow_zone_version();
