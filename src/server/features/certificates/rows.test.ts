import { describe, expect, test } from 'vitest';
import type { Installer } from './by-machine.ts';
import type { CsrReading } from './csr.ts';
import { type CertificateRecord, csrDataOf, lifeOf, type ReissueRecord, toDetail, toRow } from './rows.ts';

/** A stored certificate as it is shown: each field from its own column, and the state as it is at this moment. */

const now = new Date('2026-11-22T12:00:00Z');
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const iso = (hours: number) => at(hours).toISOString();
const dayHours = 24;
const proof = {
  ...{ method: 'DNS' as const, dnsName: '_dnsauth.a.com', dnsType: 'TXT' as const, dnsValue: 'value' },
  ...{ filePath: null, fileContent: null },
};
const row: CertificateRecord = {
  ...{ id: 'c-1', organisation_id: 'msp', customer_id: 'acme', address: 'a.com', provider: 'RapidSSL' },
  ...{ product_type: 'rapidssl', state: 'completed', registrar_order_id: '71', registrar_product_id: null },
  ...{ csr: 'CSR of then', validation_method: 'DNS', ordered_at: at(-3), term_ends_at: at(300 * dayHours) },
  ...{ valid_from: at(-2), valid_to: at(100 * dayHours), serial: '0a', certificate_pem: 'PEM' },
  ...{ chain_pem: 'CHAIN', order_item_id: 'item', synced_at: at(-1), proof, proof_state: 'set' as const },
  ...{ proof_checked_at: at(-1.5), approver_email: 'admin@a.com', remark: 'Checked', host_names: ['a.com'] },
  ...{ contacts: {}, auto_reissue: true, issued_order_id: '72', downloaded_at: null, revoked_at: null },
  ...{ next_sync_at: null, sync_failures: 0, acme_access_id: null },
};
const around = { customer: 'Acme Ltd', reissueState: null, renewed: false, renewalOrderedAt: null };
const installer: Installer = {
  ...{ accessId: 'access', name: 'Web server', lastUsedAt: null, issuedId: null, revokedAt: null },
  ...{ expiresAt: null, newest: { outcome: 'failed', detail: 'For the customer.', advice: 'For staff.' } },
};
const staff = { limited: false, now };
const reading = {
  ...{ pem: 'CSR', names: ['a.com', 'www.a.com'], organization: 'Acme', organizationUnit: '', state: 'NY' },
  ...{ locality: '', email: '', country: 'US' },
} satisfies CsrReading;

describe('a row', () => {
  test('has each field from its own column', () => {
    expect(toRow(row, around, staff)).toEqual({
      ...{ certificateId: 'c-1', address: 'a.com', state: 'completed', productType: 'rapidssl' },
      ...{ provider: 'RapidSSL', customerId: 'acme', customer: 'Acme Ltd', orderId: '71', serial: '0a' },
      ...{ orderedAt: iso(-3), termEndsAt: iso(300 * dayHours), validFrom: iso(-2) },
      ...{ validTo: iso(100 * dayHours), hostNames: ['a.com'], nextReissueAt: iso(70 * dayHours) },
      ...{ reissuing: false, byAcme: null, flags: [] },
    });
  });

  test('of one that was not issued has no dates, and no reissue is planned', () => {
    const open = {
      ...row,
      state: 'pending',
      valid_from: null,
      valid_to: null,
      term_ends_at: null,
      serial: null,
    };
    expect(toRow({ ...open, registrar_order_id: null }, around, staff)).toMatchObject({
      ...{ state: 'pending', orderId: null, validFrom: null, validTo: null, termEndsAt: null, serial: null },
      nextReissueAt: null,
    });
  });

  test.each([
    ['completed', 0, 'expired'],
    ['completed', 0.001, 'completed'],
    ['completed', -1, 'expired'],
    ['revoked', -1, 'revoked'],
    ['cancelled', -1, 'cancelled'],
  ])('of one that is stored as %s and ends in %d hours is %s', (state, hours, shown) => {
    expect(toRow({ ...row, state, valid_to: at(hours) }, around, staff).state).toBe(shown);
  });

  test('says that a reissue is open, whatever its state', () => {
    for (const reissueState of ['sending', 'unknown', 'running']) {
      expect(toRow(row, { ...around, reissueState }, staff).reissuing).toBe(true);
    }
  });

  test('of a machine’s tells staff what they can do, and customers the reply of the server', () => {
    const problemFor = (limited: boolean) =>
      toRow(row, { ...around, installer }, { limited, now }).byAcme?.problem;
    expect([problemFor(false), problemFor(true)]).toEqual(['For staff.', 'For the customer.']);
  });
});

test('a certificate is a machine’s while the access works by which it came', () => {
  const byMachine = (change: Partial<Installer> | null) =>
    lifeOf(row, { ...around, installer: change && { ...installer, ...change } }, now).byMachine;
  expect([byMachine(null), byMachine({})]).toEqual([false, true]);
  expect([byMachine({ revokedAt: iso(-1) }), byMachine({ expiresAt: iso(0) })]).toEqual([false, false]);
});

describe('one certificate in whole', () => {
  const reissue: ReissueRecord = {
    ...{ id: 'r-1', organisation_id: 'msp', certificate_id: 'c-1', csr: 'CSR of the reissue' },
    ...{
      state: 'running' as const,
      registrar_order_id: '73',
      automatic: true,
      acme_access_id: null,
      remark: null,
    },
    ...{ created_at: at(-0.5), ended_at: null },
  };
  const parts = { reading: null, reissue: null, issues: [], wildcard: false };
  const detail = (
    change: Partial<Parameters<typeof toDetail>[2]> = {},
    of: Partial<CertificateRecord> = {},
  ) => toDetail({ ...row, ...of }, around, { ...parts, ...change }, staff);

  test('has its request, its proof and what the authority said', () => {
    expect(detail({ reading, wildcard: true })).toMatchObject({
      ...{ certificateId: 'c-1', csr: 'CSR of then', proof, proofState: 'set', proofCheckedAt: iso(-1.5) },
      ...{ approverEmail: 'admin@a.com', remark: 'Checked', autoReissue: true, wildcard: true },
      ...{ reissue: null, issues: [], csrData: { domain: 'a.com', organization: 'Acme', state: 'NY' } },
    });
    expect(detail({}, { proof_checked_at: null, auto_reissue: false })).toMatchObject({
      ...{ csrData: {}, proofCheckedAt: null, autoReissue: false, wildcard: false },
    });
  });

  test('shows the request of the reissue that is open, and how that stands', () => {
    expect(detail({ reissue })).toMatchObject({
      csr: 'CSR of the reissue',
      reissue: { orderId: '73', state: 'running', automatic: true, startedAt: iso(-0.5) },
    });
  });

  test('lists what was issued as it came, each with its dates', () => {
    const issue = (serial: string, hours: number) => ({
      serial,
      valid_from: at(hours),
      valid_to: at(hours + 9),
    });
    expect(detail({ issues: [issue('02', 5), issue('01', 1)] }).issues).toEqual([
      { serial: '02', validFrom: iso(5), validTo: iso(14) },
      { serial: '01', validFrom: iso(1), validTo: iso(10) },
    ]);
  });

  test.each([
    ['DNS', 'DNS'],
    ['File', 'File'],
    ['Email', 'Email'],
    ['email', 'Email'],
  ])('without a proof yet shows the method that was ordered, and nothing to do: %s', (stored, method) => {
    const nothing = { dnsName: null, dnsType: null, dnsValue: null, filePath: null, fileContent: null };
    expect(detail({}, { proof: null, validation_method: stored }).proof).toEqual({ method, ...nothing });
  });
});

test('of a request only what it says is told, its first name as the domain', () => {
  expect(csrDataOf(reading)).toEqual({ domain: 'a.com', organization: 'Acme', state: 'NY', country: 'US' });
  const other = { ...reading, organizationUnit: 'IT', locality: 'Albany', email: 'it@a.com', names: [] };
  expect(csrDataOf({ ...other, organization: '', state: '', country: '' })).toEqual({
    ...{ organization_unit: 'IT', locality: 'Albany', email: 'it@a.com' },
  });
});
