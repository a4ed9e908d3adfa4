-- What a token reaches is said in words: an absent customer no longer means the whole organisation.
ALTER TABLE api_tokens ADD COLUMN reach text;
ALTER TABLE api_tokens ADD COLUMN ended_because text
  CHECK (ended_because IN ('revoked', 'person_became_customer', 'person_changed_customer', 'person_removed', 'customer_deleted', 'erased'));
UPDATE api_tokens SET reach = CASE WHEN customer_id IS NULL THEN 'organisation' ELSE 'customer' END;
ALTER TABLE api_tokens ALTER COLUMN reach SET NOT NULL;
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_reach
  CHECK ((reach = 'organisation' AND customer_id IS NULL) OR (reach = 'customer' AND customer_id IS NOT NULL));
UPDATE api_tokens SET ended_because = 'revoked' WHERE revoked_at IS NOT NULL;

-- Tokens of those who hold none any more end now, as they do from here on with the change itself.
UPDATE api_tokens t SET revoked_at = now(),
    ended_because = CASE WHEN u.removed_at IS NULL THEN 'person_became_customer' ELSE 'person_removed' END
  FROM users u
  WHERE u.id = t.user_id AND t.revoked_at IS NULL AND (u.removed_at IS NOT NULL OR u.role = 'MSP_CUSTOMER');
UPDATE api_tokens t SET revoked_at = now(), ended_because = 'customer_deleted'
  FROM customers c WHERE c.id = t.customer_id AND t.revoked_at IS NULL AND c.deleted_at IS NOT NULL;

-- A customer's own user always names the customer, and staff never do.
UPDATE users SET customer_id = NULL WHERE role <> 'MSP_CUSTOMER' AND customer_id IS NOT NULL;
ALTER TABLE users ADD CONSTRAINT users_staff_have_no_customer CHECK (role = 'MSP_CUSTOMER' OR customer_id IS NULL);
