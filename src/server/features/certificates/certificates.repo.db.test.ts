import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  certificateRow,
  customerRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import {
  type CertificatePlace,
  dueForReissue,
  dueForSync,
  expireCertificates,
  findById,
  findByOrder,
  findRenewable,
  issuesOf,
  updateCertificate,
} from './certificates.repo.ts';
import { eraseFromCertificates } from './privacy.repo.ts';
import {
  answerReissue,
  insertIssue,
  insertReissue,
  intentLeftMs,
  markIssueRevoked,
  moveReissue,
  openReissue,
  stateOfReissue,
} from './reissues.repo.ts';
import type { ReissueRecord } from './rows.ts';

/** Each condition of the statements about certificates and their reissues, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  scope = { organisationId, reach: { kind: 'organisation' } } as Scope;
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const [before, later] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
type Change = Parameters<typeof certificateRow>[2];
const certificate = (change: Change = {}) => certificateRow(database, organisationId, change);
const place = (certificateId: string): CertificatePlace => ({ organisationId, certificateId });
const read = async (id: string) => {
  const found = await tenant((tx) => findById(tx, place(id)));
  if (!found) throw new Error(`no certificate ${id}`);
  return found;
};

let clockAt = now;
const clock = { now: () => clockAt } as Clock;
async function reissue(certificateId: string, state: ReissueRecord['state'] = 'sending', at = now) {
  const id = newId();
  clockAt = at;
  await tenant((tx) => insertReissue(tx, clock, place(certificateId), { id, csr: 'csr', automatic: true }));
  clockAt = now;
  await tenant((tx) => tx.updateTable('certificate_reissues').set({ state }).where('id', '=', id).execute());
  return id;
}

describe('a certificate', () => {
  test('that ran out is marked at that moment; what still runs, or never did, is not', async () => {
    const ids = await Promise.all(
      [{ valid_to: now }, { valid_to: later }, { valid_to: null }, { valid_to: now, state: 'revoked' }].map(
        certificate,
      ),
    );
    await across(database, (tx) => expireCertificates(tx, now));
    const states = await Promise.all(ids.map(async (id) => (await read(id)).state));
    expect(states).toEqual(['expired', 'completed', 'completed', 'revoked']);
  });

  test('is looked at when its time has come, and not before', async () => {
    const [due, waits, never] = [
      await certificate({ next_sync_at: now }),
      await certificate({ next_sync_at: later }),
      await certificate(),
    ];
    const found = await across(database, (tx) => dueForSync(tx, now));
    expect(found).toContainEqual(place(due));
    expect(found).not.toContainEqual(place(waits));
    expect(found).not.toContainEqual(place(never));
    // What has waited longest comes first.
    const longest = await certificate({ next_sync_at: new Date(0) });
    expect((await across(database, (tx) => dueForSync(tx, now)))[0]).toEqual(place(longest));
  });

  test('is changed only while it is the running one, where that is asked for', async () => {
    const [id, unissued] = [await certificate({ serial: '01' }), await certificate()];
    const change = (of: string, serial: string | null, remark: string) =>
      tenant((tx) => updateCertificate(tx, place(of), { remark }, { serial }));
    await change(id, '01', 'running');
    await change(id, '02', 'replaced');
    await change(id, null, 'never issued');
    await change(unissued, null, 'not issued yet');
    await change(unissued, '01', 'replaced');
    expect([(await read(id)).remark, (await read(unissued)).remark]).toEqual(['running', 'not issued yet']);
  });

  test('is changed alone, and found under its own order', async () => {
    const [id, beside] = [
      await certificate({ registrar_order_id: '41' }),
      await certificate({ registrar_order_id: '42' }),
    ];
    await tenant((tx) => updateCertificate(tx, place(id), { remark: 'changed' }));
    expect([(await read(id)).remark, (await read(beside)).remark]).toEqual(['changed', null]);
    const found = (orderId: string) => tenant((tx) => findByOrder(tx, scope, orderId));
    expect((await found('41'))?.id).toBe(id);
    expect(await found('43')).toBeUndefined();
    const limited = { ...scope, reach: { kind: 'customers', ids: [newId()] } } as unknown as Scope;
    expect(await tenant((tx) => findByOrder(tx, limited, '41'))).toBeUndefined();
  });

  test('says which reissue of it is open', async () => {
    const id = await certificate();
    expect(await read(id)).toMatchObject({ reissueState: null, renewed: false });
    await reissue(id, 'completed');
    await reissue(await certificate(), 'running');
    expect(await read(id)).toMatchObject({ reissueState: null });
    await reissue(id, 'running');
    expect(await read(id)).toMatchObject({ reissueState: 'running' });
  });

  test('has its place taken by a later one that is issued for each of its hosts, and by nothing else', async () => {
    const address = newName();
    const host_names = [address, `www.${address}`];
    const id = await certificate({ address, ordered_at: now, host_names });
    expect(await read(id)).toMatchObject({ renewed: false });
    const states = ['pending', 'awaiting-approval', 'approver-confirmed', 'in-progress'];
    for (const change of [
      { ordered_at: before },
      { address: newName() },
      { host_names: [] },
      { host_names: [address] },
      { host_names: [`*.${address}`] },
      { host_names: [address, `mail.${address}`] },
      ...[...states, 'declined', 'cancelled', 'revoked', 'expired'].map((state) => ({ state })),
    ]) {
      await certificate({ address, ordered_at: later, host_names, ...change });
      expect(await read(id), JSON.stringify(change)).toMatchObject({ renewed: false });
    }
    await certificate({ address, ordered_at: later, host_names: [...host_names, `mail.${address}`] });
    expect(await read(id)).toMatchObject({ renewed: true });
  });

  test.each<[readonly string[], boolean]>([
    [['www.{}', '{}'], true],
    [['*.{}'], true],
    [['a.b.{}'], false],
    [['*.b.{}'], false],
    [[], false],
  ])('for %o has its place taken by a wildcard one: %s', async (hosts, expected) => {
    const address = newName();
    const named = (of: readonly string[]) => of.map((host) => host.replace('{}', address));
    const id = await certificate({ address, ordered_at: now, host_names: named(hosts) });
    await certificate({ address, ordered_at: later, host_names: named(['*.{}', '{}']) });
    expect(await read(id)).toMatchObject({ renewed: expected });
  });

  test('says when its newest renewal was ordered that is still open', async () => {
    const [address, order] = [newName(), await orderRow(database, organisationId)];
    const id = await certificate({ address, ordered_at: now, registrar_order_id: '45' });
    const renewal = async (renews: string | null, change: Change = {}) => {
      const details = JSON.stringify({ certificate: { renewsOrderId: renews } });
      const item = { kind: 'certificate' as const, address, state: 'succeeded' as const, details };
      const order_item_id = await itemRow(database, { organisationId, orderId: order }, item);
      return certificate({ address, ordered_at: later, state: 'pending', order_item_id, ...change });
    };
    await renewal('46');
    await renewal(null);
    await renewal('45', { address: newName() });
    await renewal('45', { ordered_at: before });
    for (const state of ['completed', 'declined', 'cancelled']) await renewal('45', { state });
    await certificate({ address, ordered_at: later, state: 'pending' });
    expect(await read(id)).toMatchObject({ renewalOrderedAt: null });
    const latest = new Date(later.getTime() + 1);
    await renewal('45', { ordered_at: latest, state: 'awaiting-approval' });
    await renewal('45');
    expect(await read(id)).toMatchObject({ renewalOrderedAt: latest });
  });
});

describe('a renewal', () => {
  const renewable = (address: string, productType = 'rapidssl', hostNames: readonly string[] = [address]) =>
    tenant((tx) => findRenewable(tx, scope, { address, productType, hostNames }));

  test('follows the newest certificate of the name that runs or ran out', async () => {
    const address = newName();
    await certificate({ address, registrar_order_id: '50', ordered_at: before });
    await certificate({ address, registrar_order_id: '51', ordered_at: now, state: 'expired' });
    await certificate({ address, registrar_order_id: '52', ordered_at: later, state: 'revoked' });
    expect(await renewable(address)).toBe('51');
    expect(await renewable(newName())).toBeNull();
  });

  test('follows one of its own product before a newer one of another product', async () => {
    const address = newName();
    await certificate({ address, registrar_order_id: '60', ordered_at: before, product_type: 'rapidssl' });
    await certificate({ address, registrar_order_id: '61', ordered_at: later, product_type: 'truebizid' });
    expect(await renewable(address, 'rapidssl')).toBe('60');
    expect(await renewable(address, 'truebizid')).toBe('61');
    expect(await renewable(address, 'quickssl')).toBe('61');
  });
});

describe('a renewal of one of several certificates of an address', () => {
  const beside = async () => {
    const address = newName();
    const make = (registrar_order_id: string, hosts: readonly string[], change: Change = {}) =>
      certificate({
        ...{ address, registrar_order_id, product_type: 'rapidssl', ordered_at: before },
        ...{ host_names: hosts.map((host) => `${host}.${address}`), ...change },
      });
    const renews = (...hosts: string[]) =>
      tenant((tx) =>
        findRenewable(tx, scope, {
          ...{ address, productType: 'rapidssl' },
          hostNames: hosts.map((host) => `${host}.${address}`),
        }),
      );
    return { make, renews };
  };

  test('follows the one for its hosts, before one of its product and before a newer one', async () => {
    const { make, renews } = await beside();
    await make('70', ['www', 'shop'], { product_type: 'truebizid' });
    await make('71', ['mail'], { ordered_at: later });
    expect(await renews('www')).toBe('70');
    expect(await renews('www', 'shop')).toBe('70');
    expect(await renews('mail')).toBe('71');
  });

  test('follows one that shares a host where none has all, and any where none shares one', async () => {
    const { make, renews } = await beside();
    await make('80', ['www']);
    await make('81', ['mail'], { ordered_at: later });
    expect(await renews('www', 'new')).toBe('80');
    expect(await renews('new')).toBe('81');
    await make('82', ['www', 'new', 'old'], { product_type: 'truebizid' });
    expect(await renews('www', 'new')).toBe('82');
  });
});

describe('a reissue by itself', () => {
  const due = {
    ...{ state: 'completed', auto_reissue: true, proof_state: 'set' as const },
    ...{ valid_to: before, term_ends_at: later, contacts: '{}' },
  };
  /** Tries count from a day before, while the ends that are looked for may be ahead: two moments, neither for the other. */
  const dayAgo = new Date(now.getTime() - 86_400_000);
  const isDue = async (id: string) => {
    const span = { endingBefore: now, triedSince: dayAgo };
    const found = await across(database, (tx) => dueForReissue(tx, span));
    return found.some(({ certificateId }) => certificateId === id);
  };

  test.each([due, { ...due, proof_state: 'present' as const }])('is due: %o', async (row) => {
    expect(await isDue(await certificate(row))).toBe(true);
  });

  test.each([
    ['it ran out', { state: 'expired' }],
    ['it is switched off', { auto_reissue: false }],
    ['its proof is not there', { proof_state: 'missing' }],
    ['it ends later', { valid_to: now }],
    ['it is the last of its term', { term_ends_at: before }],
    ['the contacts of its order are not known', { contacts: null }],
  ] as const)('is not due when %s', async (_why, change) => {
    expect(await isDue(await certificate({ ...due, ...change }))).toBe(false);
  });

  test.each([
    ['sending', dayAgo, false],
    ['unknown', dayAgo, false],
    ['running', dayAgo, false],
    ['declined', before, false],
    ['declined', new Date(dayAgo.getTime() + 1), false],
    ['declined', dayAgo, true],
    ['completed', before, false],
    ['completed', dayAgo, true],
  ] as const)('after one that is %s, of %s: %s', async (state, at, expected) => {
    const id = await certificate(due);
    await reissue(id, state, at);
    expect(await isDue(id)).toBe(expected);
  });

  test('is due first of what ends first', async () => {
    const first = await certificate({ ...due, valid_to: new Date(0) });
    const span = { endingBefore: now, triedSince: dayAgo };
    expect((await across(database, (tx) => dueForReissue(tx, span)))[0]).toEqual(place(first));
  });

  test('is asked about alone', async () => {
    const [one, other] = [await certificate(due), await certificate({ ...due, auto_reissue: false })];
    const found = (id: string) =>
      across(database, (tx) => dueForReissue(tx, { endingBefore: now, triedSince: dayAgo, only: place(id) }));
    expect([await found(one), await found(other)]).toEqual([[place(one)], []]);
  });

  test('does not wait for another certificate’s', async () => {
    const id = await certificate(due);
    await reissue(await certificate(due), 'running');
    expect(await isDue(id)).toBe(true);
  });
});

describe('an intent to reissue', () => {
  test.each([
    ['sending', true],
    ['unknown', true],
    ['running', true],
    ['completed', false],
    ['declined', false],
  ] as const)('%s: open is %s', async (state, open) => {
    const id = await certificate();
    const [mine] = [await reissue(id, state), await reissue(await certificate(), 'running')];
    expect((await tenant((tx) => openReissue(tx, id, now)))?.id).toBe(open ? mine : undefined);
  });

  test('may be sent while it is one, and its time is not up', async () => {
    const left = (id: string, limitMs: number) => tenant((tx) => intentLeftMs(tx, clock, id, limitMs));
    const [mine, running] = [
      await reissue(await certificate()),
      await reissue(await certificate(), 'running'),
    ];
    expect([await left(mine, 500), await left(running, 500), await left(newId(), 500)]).toEqual([500, 0, 0]);
  });

  test.each([
    ['sending', true],
    ['unknown', true],
    ['running', false],
    ['declined', false],
  ] as const)('%s: the answer to the call ends it is %s', async (state, moved) => {
    const [id, beside] = [await reissue(await certificate(), state), await reissue(await certificate())];
    expect(await tenant((tx) => answerReissue(tx, id, { state: 'completed' }))).toBe(moved);
    expect(await tenant((tx) => stateOfReissue(tx, id))).toBe(moved ? 'completed' : state);
    expect(await tenant((tx) => stateOfReissue(tx, beside))).toBe('sending');
  });

  test.each([
    ['sending', 0, 'completed'],
    ['unknown', 0, 'completed'],
    ['running', 0, 'completed'],
    ['declined', 0, 'declined'],
    ['running', 1, 'running'],
  ] as const)('%s, looked at when older than %i ms: %s', async (state, olderThanMs, expected) => {
    const [id, beside] = [await reissue(await certificate(), state), await reissue(await certificate())];
    const moved = await tenant((tx) =>
      moveReissue(tx, clock, id, { change: { state: 'completed' }, olderThanMs }),
    );
    expect(moved).toBe(expected !== state);
    expect(await tenant((tx) => stateOfReissue(tx, id))).toBe(expected);
    expect(await tenant((tx) => stateOfReissue(tx, beside))).toBe('sending');
  });

  test('what was issued is revoked once, and alone', async () => {
    const [id, beside] = [await certificate(), await certificate()];
    const issued = { notBefore: before, notAfter: later, certificatePem: 'pem' } as never;
    for (const [of, serial] of [
      [id, '01'],
      [id, '02'],
      [beside, '01'],
    ] as const) {
      await tenant((tx) => insertIssue(tx, place(of), { serial, issued, orderId: '1', now }));
    }
    for (const at of [now, later]) await tenant((tx) => markIssueRevoked(tx, id, '01', at));
    const marks = await tenant((tx) =>
      tx
        .selectFrom('certificate_issues')
        .select(['certificate_id', 'serial', 'revoked_at'])
        .where('certificate_id', 'in', [id, beside])
        .where('revoked_at', 'is not', null)
        .execute(),
    );
    expect(marks).toEqual([{ certificate_id: id, serial: '01', revoked_at: now }]);
  });

  test('keeps what was issued once', async () => {
    const id = await certificate();
    const issued = { notBefore: before, notAfter: later, certificatePem: 'pem' } as never;
    for (let turn = 0; turn < 2; turn += 1) {
      await tenant((tx) => insertIssue(tx, place(id), { serial: '01', issued, orderId: '1', now }));
    }
    const beside = await certificate();
    await tenant((tx) => insertIssue(tx, place(beside), { serial: '02', issued, orderId: '1', now }));
    expect(await tenant((tx) => issuesOf(tx, id))).toMatchObject([{ serial: '01' }]);
  });
});

describe('the erasure of a customer', () => {
  test('leaves product, name and dates of their certificates, and nothing that names them; others stay', async () => {
    const [mine, other] = [
      await customerRow(database, organisationId),
      await customerRow(database, organisationId),
    ];
    const whole = {
      ...{
        csr: 'CSR',
        contacts: '{}',
        approver_email: 'it@a.com',
        remark: 'Said',
        proof: '{}',
        serial: '01',
      },
      ...{
        certificate_pem: 'PEM',
        chain_pem: 'CHAIN',
        auto_reissue: true,
        next_sync_at: now,
        valid_to: later,
      },
    };
    const ids: string[] = [];
    for (const [customer_id, state] of [
      [mine, 'completed'],
      [mine, 'declined'],
      [other, 'completed'],
    ] as const) {
      const id = await certificate({ ...whole, customer_id, state });
      ids.push(id);
      const issued = { notBefore: before, notAfter: later, certificatePem: 'PEM' } as never;
      await tenant((tx) => insertIssue(tx, place(id), { serial: '01', issued, orderId: '1', now }));
    }
    const [used = '', declined = '', theirs = ''] = ids;
    const [old, open, beside] = [
      await reissue(used, 'completed'),
      await reissue(used, 'running'),
      await reissue(theirs, 'running'),
    ];
    await tenant((tx) => eraseFromCertificates(tx, { organisationId: newId() }, mine));
    expect(await read(used)).toMatchObject({ state: 'completed', csr: 'CSR' });
    await tenant((tx) => eraseFromCertificates(tx, { organisationId }, mine));
    const nothing = {
      ...{ csr: '', contacts: null, approver_email: null, remark: null, proof: null, next_sync_at: null },
      ...{ certificate_pem: null, chain_pem: null, auto_reissue: false, serial: '01', valid_to: later },
    };
    expect(await read(used)).toMatchObject({ ...nothing, state: 'expired' });
    expect(await read(declined)).toMatchObject({ ...nothing, state: 'declined' });
    expect(await read(theirs)).toMatchObject({ state: 'completed', csr: 'CSR', certificate_pem: 'PEM' });
    const reissues = await tenant((tx) =>
      tx.selectFrom('certificate_reissues').selectAll().where('id', 'in', [old, open, beside]).execute(),
    );
    const of = (id: string) => reissues.find((row) => row.id === id);
    expect(of(old)).toMatchObject({ state: 'completed', csr: '' });
    expect(of(open)).toMatchObject({ state: 'declined', csr: '', ended_at: expect.any(Date) });
    expect(of(beside)).toMatchObject({ state: 'running', csr: 'csr', ended_at: null });
    const pems = await tenant((tx) =>
      tx
        .selectFrom('certificate_issues')
        .select(['certificate_id', 'certificate_pem'])
        .where('certificate_id', 'in', ids)
        .execute(),
    );
    expect(new Map(pems.map((row) => [row.certificate_id, row.certificate_pem]))).toEqual(
      new Map([
        [used, ''],
        [declined, ''],
        [theirs, 'PEM'],
      ]),
    );
  });
});
