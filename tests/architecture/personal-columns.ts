/**
 * Each column that may hold words or secrets, in the tables of organizations: what erasing a customer or a user does with
 * it. `erased`: emptied, or gone with its row, by a `privacy.repo.ts` (or the function named). `kept`: why it stays.
 */
type Fate = 'erased' | `kept: ${string}`;

const ours = 'kept: the MSP’s own, a business’s';
const claim = 'kept: a random number, for as long as a call lasts';
const list = 'kept: one of a list of ours, no words';
const name = 'kept: a domain’s name, which bookkeeping needs';

export const personalColumns: Readonly<Record<string, Readonly<Record<string, Fate>>>> = {
  users: {
    identity_issuer: 'erased',
    identity_subject: 'erased',
    email: 'erased',
    username: 'erased',
    first_name: 'erased',
    last_name: 'erased',
  },
  invites: {
    email: 'erased',
    token_hash: 'kept: the hash of a secret that opens nothing any more',
    token_sealed: 'erased',
    invited_by: 'kept: a user’s number',
  },
  customers: {
    owner: 'erased',
    admin: 'erased',
    billing_contact: 'erased',
    billing_email: 'erased',
    markups: 'kept: amounts',
    payment_method_revoked: 'erased',
  },
  imports: {
    upload_key: 'kept: a random name',
    file_name: 'erased',
    columns: 'kept: names of columns',
    assumed: 'kept: names of columns',
    notice: 'erased',
    actor: 'erased',
    actor_ip: 'erased',
  },
  import_mappings: { name: 'kept: a mapping’s name', mapping: 'kept: names of columns' },
  import_rows: {
    cells: 'erased',
    organization: 'erased',
    match_key: 'erased',
    state: 'erased',
    notes: 'erased',
  },
  domains: {
    address: name,
    nameservers: 'kept: names of machines',
    credentials_sealed: 'erased',
    end_reason: 'kept: words of ours',
  },
  transfers: {
    address: name,
    registrar_status: list,
    nameservers_before: 'kept: names of machines',
    nameservers_after: 'kept: names of machines',
    reason: 'erased',
  },
  auto_renewals: { address: name, reason: 'erased' },
  renewal_reminders: { address: name },
  zone_leases: { address: name, holder: 'kept: a random number, for seconds' },
  zone_versions: { records: 'erased', hash: 'erased', state: list, author: 'erased', reason: 'erased' },
  zone_copies: { nameservers: 'erased', body: 'erased' },
  dns_templates: { name: ours, records: ours, variables: ours },
  dns_template_versions: { records: ours, variables: ours },
  dns_template_uses: {
    ...{ filled: 'erased', owned: 'erased', previous: 'erased', drift: 'erased' },
  },
  certificates: {
    address: name,
    provider: list,
    product_type: list,
    state: list,
    csr: 'erased',
    validation_method: list,
    serial: 'kept: a number of the authority',
    certificate_pem: 'erased',
    chain_pem: 'erased',
    approver_email: 'erased',
    remark: 'erased',
    host_names: name,
    contacts: 'erased',
  },
  certificate_reissues: { csr: 'erased', state: list, remark: 'erased' },
  certificate_issues: { serial: 'kept: a number of the authority', certificate_pem: 'erased' },
  certificate_notices: { serial: 'kept: a number of the authority', kind: list },
  orders: { attached: 'kept: numbers of items' },
  order_items: {
    address: name,
    details: 'erased',
    secrets_sealed: 'erased',
    intent_hash: 'kept: a hash',
    public_error: 'erased',
    outcome_note: 'erased',
  },
  idempotency_keys: { key: 'erased', operation: 'erased', request_hash: 'erased', reply: 'erased' },
  request_keys: {
    caller: 'erased',
    operation: 'erased',
    key: 'erased',
    request_hash: 'erased',
    reply_sealed: 'erased',
  },
  journal: { kind: list, ref: 'kept: a number', actor: 'kept: names of jobs and operators', text: name },
  topups: { claim, payment_intent: 'kept: a number', method: list, failure: ours, alarmed_as: ours },
  payment_setup_links: { token_hash: 'erased', email: 'erased' },
  direct_charges: { claim, payment_intent: 'kept: a number', failure: 'erased', note: 'erased' },
  direct_refunds: { claim, failure: 'erased', reason: 'erased' },
  billing_addresses: { name: ours, address: ours },
  corrections: { reason: ours, reference: ours, asked_by: ours, decided_by: ours },
  recovery_findings: {
    kind: list,
    subject: 'kept: names of domains and numbers',
    text: 'kept: words of ours',
  },
  reconciliation_differences: { subject: 'kept: names of domains and numbers', text: 'kept: words of ours' },
  api_tokens: { name: 'erased', token_hash: 'kept: a hash', permissions: list, ended_because: list },
  attention_items: {
    ...{ cause: list, object: 'kept: a number or a domain’s name', address: name, facts: 'erased' },
  },
  attention_marks: { cause: list },
  move_lines: {
    address: name,
    problem: 'kept: words of ours',
    code_sealed: 'erased',
    code_problem: 'kept: words of ours',
    state: list,
    dns: list,
    facts: 'kept: names of machines, a price',
    zone: 'erased',
    held: 'erased',
    differences: 'erased',
    accepted: 'erased',
  },
  health_findings: {
    ...{ kind: list, detail: 'erased', muted_reason: 'erased', muted_by: 'kept: a user’s number' },
  },
  watched_names: { address: 'erased', registrar: 'erased', created_by: 'kept: a user’s number' },
  changes: {
    ...{ author: 'erased', title: 'erased', reason: 'erased', request: 'erased' },
    ...{ note: 'kept: a sentence of ours', undoes: 'kept: a number' },
  },
  change_items: {
    ...{ address: 'erased', note: 'erased', before: 'erased', after: 'erased' },
    ...{ version: 'erased', warnings: 'erased' },
  },
  // Those that are shared stay: they are the organization's.
  saved_views: { screen: list, name: 'erased', query: 'erased' },
  acme_accesses: {
    ...{ name: 'erased', hmac_sealed: 'erased', hosts: name, product_type: list },
    made_by: 'kept: a user’s number',
  },
  acme_access_log: { event: list, identifiers: 'erased', detail: 'erased', advice: 'erased' },
  acme_accounts: {
    ...{ thumbprint: 'kept: the hash of a public key', jwk: 'kept: a public key of a machine' },
    ...{ contacts: 'erased' },
  },
  acme_orders: {
    ...{ names: name, replaces: 'kept: a number of the authority', csr: 'erased' },
    ...{ csr_digest: 'kept: a hash', key_digest: 'kept: the hash of a public key' },
    ...{ serial: 'kept: a number of the authority', chain: 'erased' },
  },
  acme_allowances: { product_type: list },
  audit_log: {
    actor: 'kept: shown as erased; the key of the words is destroyed',
    ip: 'kept: what the log is for',
    action: list,
    object_kind: list,
    object: 'kept: a number or a domain’s name',
    before: 'kept: sealed with a key that erasing destroys',
    after: 'kept: sealed with a key that erasing destroys',
    previous_hash: 'kept: a hash',
    hash: 'kept: a hash',
  },
  audit_heads: { head_sealed: 'kept: a hash' },
  subject_keys: { key: 'erased' },
  legal_holds: { address: name, data_sealed: 'kept: for fifteen months, as registries demand' },
};

/** Tables of which something is erased, and that hold nothing of a person that could be handed out. */
export const notHandedOut: Readonly<Record<string, string>> = {
  subject_keys: 'keys, no data',
};
