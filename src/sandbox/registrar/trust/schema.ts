/** Tables of the Trust Service; `reset` empties them, the authority's own keys stay. */
export const TRUST_TABLES = ['registrar_certificate_orders', 'registrar_certificates'];

export const trustSchema = `
CREATE TABLE IF NOT EXISTS registrar_authority (
  name TEXT PRIMARY KEY, key_pem TEXT NOT NULL, certificate_pem TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_certificate_orders (
  id INTEGER PRIMARY KEY, domain TEXT NOT NULL, product_type TEXT NOT NULL, reg_type TEXT NOT NULL,
  state TEXT NOT NULL, period INTEGER NOT NULL, cost_cents INTEGER NOT NULL, affiliate_id TEXT NOT NULL,
  instructions TEXT NOT NULL, csr TEXT NOT NULL, method TEXT NOT NULL, approver TEXT NOT NULL, token TEXT NOT NULL,
  contacts TEXT NOT NULL, base_order_id INTEGER, product_id INTEGER, ordered_at INTEGER NOT NULL,
  term_ends_at INTEGER NOT NULL, mailed INTEGER NOT NULL DEFAULT 0, approved INTEGER NOT NULL DEFAULT 0,
  validated_at INTEGER, next_check_at INTEGER NOT NULL, held INTEGER NOT NULL DEFAULT 0, notes TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS registrar_certificate_orders_domain ON registrar_certificate_orders (domain);
CREATE INDEX IF NOT EXISTS registrar_certificate_orders_state ON registrar_certificate_orders (state);
CREATE TABLE IF NOT EXISTS registrar_certificates (
  product_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, domain TEXT NOT NULL, serial TEXT NOT NULL,
  pem TEXT NOT NULL, not_before INTEGER NOT NULL, not_after INTEGER NOT NULL, revoked_at INTEGER);
CREATE INDEX IF NOT EXISTS registrar_certificates_order ON registrar_certificates (order_id);
`;
