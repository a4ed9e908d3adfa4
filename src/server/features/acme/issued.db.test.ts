import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  certificateWithKey,
  type Finalizing,
  type Made,
  openFinalizing,
} from '../../../../tests/support/acme-finalize.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { certificateRow, customerRow } from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { sha256 } from '../../kernel/ids.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { OpenedByAccount } from './exchange.ts';
import type { OrdersDeps } from './order-ground.ts';
import { refusedKey } from './orders.repo.ts';
import { createAcmeOrders } from './orders.service.ts';
import { createRevoke, type RevokeDeps } from './revoke.ts';

/** What was issued to a client: it is revoked by those who may, and replaced by those who have it. */

let database: TestDatabase;
let world: Finalizing;
const now = new Date('2026-11-22T12:00:00Z');
const in_ = (days: number) => new Date(now.getTime() + days * 86_400_000);
beforeAll(async () => {
  database = await createTestDatabase();
  world = await openFinalizing(database);
});
afterAll(() => database.close());
beforeEach(() => {
  vi.resetAllMocks();
  send.mockResolvedValue(done);
});

const done = { kind: 'done', value: undefined } as const;
/** What the registrar answers. */
const send = vi.fn(async (_registrarOrderId: string): Promise<Outcome<void>> => done);
const log = vi.fn(async (..._entry: unknown[]) => undefined);
const tell = vi.fn(async (..._told: unknown[]) => undefined);
const at = (path: string) => `https://portal.test/acme/${path}`;
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
let serials = 0x10_00;

/** An order that has its certificate: by the term's first order at the registrar, or by a later one. */
async function issued(change: { replacedBy?: string; by?: string } = {}) {
  const made = await world.order();
  serials += 1;
  const serial = serials.toString(16);
  const certificate = await certificateWithKey(serial);
  const base = `base of ${made.address}`;
  const certificateId = await certificateRow(database, world.organisationId, {
    ...{ customer_id: world.customerId, address: made.address, registrar_order_id: base },
    ...{ serial: change.replacedBy ?? serial, issued_order_id: change.by ?? base },
  });
  await world.tenant(async (tx) => {
    await tx
      .insertInto('certificate_issues')
      .values({
        ...{ organisation_id: world.organisationId, certificate_id: certificateId, serial, recorded_at: now },
        ...{ valid_from: now, valid_to: in_(90), certificate_pem: certificate.pem },
        registrar_order_id: change.by ?? base,
      })
      .execute();
    await tx
      .updateTable('acme_orders')
      .set({
        ...{
          state: 'valid' as const,
          issued_id: certificate.issuedId,
          certificate_id: certificateId,
          serial,
        },
        ...{ chain: 'CHAIN', valid_from: now, valid_to: in_(90), next_look_at: null },
      })
      .where('id', '=', made.orderId)
      .execute();
  });
  return { ...made, ...certificate, serial, certificateId, base };
}
type Issued = Awaited<ReturnType<typeof issued>>;

const openedBy = (made: Pick<Made, 'accountId' | 'accessId'>, payload: object, access: object = {}) =>
  ({
    payload: part(payload),
    account: { id: made.accountId },
    access: {
      ...{ accessId: made.accessId, organisationId: world.organisationId, customerId: world.customerId },
      ...{ hosts: null, productId: 'rapidssl', ...access },
    },
  }) as unknown as OpenedByAccount;

describe('a revocation', () => {
  const asked: unknown[] = [];
  const revoke = createRevokeOf(asked);
  beforeEach(() => {
    asked.length = 0;
  });
  /** As the certificates' part does it: one at a time. */
  function createRevokeOf(calls: unknown[]) {
    return (opened: OpenedByAccount) => {
      const deps = {
        ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => now } },
        ...{ accesses: { log }, refusals: { tell } },
        certificates: {
          async revoke(
            scope: { organisationId: string; email: string },
            place: object,
            { registrarOrderId, serial, alone }: Alone,
          ) {
            calls.push([scope.organisationId, scope.email, place, registrarOrderId, serial]);
            const outcome = await alone(() => send(registrarOrderId));
            if (outcome.kind === 'unknown') throw new AppError('outcome_unknown');
          },
        },
      };
      return createRevoke(deps as unknown as RevokeDeps)(opened);
    };
  }
  interface Alone {
    registrarOrderId: string;
    serial: string;
    alone(run: () => Promise<Outcome<void>>): Promise<Outcome<void>>;
  }
  const revokedAt = async ({ read }: Issued) => (await read())?.revoked_at;
  const isCompromised = ({ spki }: Issued) =>
    refusedKey(database.systemDb, sha256(spki), world.customerId).then((why) => why === 'compromised');

  test('by the account that has it is sent once for the order that issued it, marked, and in the log', async () => {
    const made = await issued({ by: 'a reissue' });
    expect(await revoke(openedBy(made, { certificate: made.der }))).toEqual({ status: 200 });
    const { certificateId, serial } = made;
    const place = { organisationId: world.organisationId, certificateId };
    expect(asked).toEqual([[world.organisationId, 'ACME', place, 'a reissue', serial]]);
    expect(await revokedAt(made)).toEqual(now);
    const entry = { event: 'revoke', identifiers: [made.address], outcome: 'done' };
    expect(log.mock.calls).toEqual([
      [made.accessId, { ...entry, detail: `Certificate ${serial} was revoked.` }],
    ]);
    expect(await isCompromised(made)).toBe(false);
  });

  test('a second time is refused and not sent; a key that is compromised is kept as that all the same', async () => {
    const made = await issued();
    await revoke(openedBy(made, { certificate: made.der }));
    const again = revoke(openedBy(made, { certificate: made.der, reason: 1 }));
    await expect(again).rejects.toMatchObject({ type: 'alreadyRevoked' });
    expect([send.mock.calls.length, await isCompromised(made)]).toEqual([1, true]);
  });

  test('of the first certificate of a term that a newer one has replaced would end both: nothing is sent, people hear of it', async () => {
    const made = await issued({ replacedBy: 'newer' });
    await expect(revoke(openedBy(made, { certificate: made.der }))).rejects.toMatchObject({
      ...{ type: 'userActionRequired', advice: expect.stringContaining(made.serial) },
    });
    expect([asked, await revokedAt(made)]).toEqual([[], null]);
    expect(tell.mock.calls.map(([, order]) => (order as { id: string }).id)).toEqual([made.orderId]);
    // Of a reissue that was replaced nothing else ends.
    const later = await issued({ replacedBy: 'newer', by: 'a reissue' });
    expect(await revoke(openedBy(later, { certificate: later.der }))).toEqual({ status: 200 });
  });

  test('that the authority does not confirm is told to be tried again, and is not marked', async () => {
    const made = await issued();
    send.mockResolvedValue({ kind: 'unknown', text: 'no answer' });
    await expect(revoke(openedBy(made, { certificate: made.der }))).rejects.toMatchObject({
      ...{ type: 'serverInternal', status: 503, retryAfterSeconds: 60 },
    });
    expect([await revokedAt(made), log.mock.calls]).toEqual([null, []]);
    send.mockRejectedValueOnce(new Error('mistake'));
    await expect(revoke(openedBy(made, { certificate: made.der }))).rejects.toThrow('mistake');
    // Somebody else revokes it while this one waits.
    send.mockImplementationOnce(async () => {
      await world.tenant((tx) =>
        tx
          .updateTable('acme_orders')
          .set({ revoked_at: in_(-1) })
          .where('id', '=', made.orderId)
          .execute(),
      );
      return { kind: 'unknown', text: 'no answer' };
    });
    const late = revoke(openedBy(made, { certificate: made.der }));
    await expect(late).rejects.toMatchObject({ type: 'alreadyRevoked' });
    expect(await revokedAt(made)).toEqual(in_(-1));
  });

  test.each<[string, object, boolean]>([
    ['another account of the customer that has all names', {}, true],
    ['another account of the customer without its names', { hosts: ['elsewhere.com'] }, false],
    ['an account of another customer', { customerId: '00000000-0000-4000-8000-000000000001' }, false],
  ])('by %s: %#', async (_who, access, may) => {
    const [made, other] = [await issued(), await world.order()];
    const revoked = revoke(openedBy(other, { certificate: made.der }, access));
    if (may) expect(await revoked).toEqual({ status: 200 });
    else await expect(revoked).rejects.toMatchObject({ type: 'unauthorized', status: 403 });
    expect(asked).toHaveLength(may ? 1 : 0);
  });

  test('by its own key is taken, and by the key of another certificate is not', async () => {
    const [made, other] = [await issued(), await issued()];
    const byKey = (jwk: object) =>
      revoke({ payload: part({ certificate: made.der, reason: 1 }), jwk } as unknown as OpenedByAccount);
    await expect(byKey(other.jwk)).rejects.toMatchObject({ type: 'unauthorized' });
    // Nobody calls another one's key compromised.
    expect(await isCompromised(made)).toBe(false);
    expect(await byKey(made.jwk)).toEqual({ status: 200 });
    expect(await isCompromised(made)).toBe(true);
  });

  test('of what is no certificate, or of one that was issued elsewhere, is refused', async () => {
    const made = await issued();
    await expect(revoke(openedBy(made, { certificate: 'AAAA' }))).rejects.toMatchObject({
      type: 'malformed',
    });
    const { der } = await certificateWithKey('0f0f0f');
    await expect(revoke(openedBy(made, { certificate: der }))).rejects.toMatchObject({
      type: 'unauthorized',
    });
  });
});

describe('a new order', () => {
  const nameservers = ['ns1.portal.net', 'ns2.portal.net'];
  const logIn = vi.fn(async (..._entry: unknown[]) => undefined);
  const create = (opened: OpenedByAccount) =>
    createAcmeOrders({
      ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => now }, at, nameservers },
      ...{ accesses: { log, logIn }, pricing: { list: async () => world.happened.sold } },
    } as unknown as OrdersDeps).create(opened);
  const wish = (name: string, more: object = {}) => ({
    identifiers: [{ type: 'dns', value: name }],
    ...more,
  });
  const written = (location: string | undefined) =>
    world.tenant((tx) =>
      tx
        .selectFrom('acme_orders')
        .selectAll()
        .where('id', '=', location?.split('/').at(-1) ?? '')
        .executeTakeFirst(),
    );

  test('is kept for a week, for the customer of its access, and in the log', async () => {
    const made = await world.order();
    const { status, headers, json } = await create(openedBy(made, wish(made.address.toUpperCase())));
    expect([status, json]).toMatchObject([201, { status: 'ready' }]);
    expect(await written(headers?.location)).toMatchObject({
      ...{ account_id: made.accountId, access_id: made.accessId, customer_id: world.customerId },
      ...{ names: [made.address], state: 'ready', replaces: null, created_at: now, expires_at: in_(7) },
    });
    const entry = { event: 'order', identifiers: [made.address], outcome: 'done', detail: '' };
    expect(logIn.mock.calls).toEqual([[expect.anything(), made.accessId, entry]]);
  });

  test('for a name that its access cannot have, or of a product that is not sold, is refused, and the log says why to both', async () => {
    const made = await world.order();
    const other = await world.order();
    await world.tenant(async (tx) => {
      const customer_id = await customerRow(database, world.organisationId);
      await tx.updateTable('domains').set({ customer_id }).where('id', '=', other.domainId).execute();
    });
    await expect(create(openedBy(made, wish(other.address)))).rejects.toMatchObject({
      type: 'rejectedIdentifier',
    });
    const unsold = openedBy(made, wish(made.address), { productId: 'gone' });
    await expect(create(unsold)).rejects.toMatchObject({ type: 'userActionRequired' });
    expect(log.mock.calls).toEqual([
      [
        made.accessId,
        {
          ...{ event: 'order', identifiers: [other.address], outcome: 'refused' },
          detail: expect.stringContaining('is not among the names of this access'),
          advice: expect.stringContaining(`Add ${other.address} to the access`),
        },
      ],
      [made.accessId, expect.objectContaining({ advice: expect.stringContaining('Choose another one') })],
    ]);
    expect(logIn).not.toHaveBeenCalled();
  });

  test('replaces a certificate of its own access that has one of its names, once', async () => {
    const [made, other] = [await issued(), await issued()];
    const replacing = (by: Issued, name: string, replaces: unknown) =>
      create(openedBy(by, wish(name, { replaces })));
    const { headers } = await replacing(made, made.address, made.issuedId);
    expect(await written(headers?.location)).toMatchObject({ replaces: made.issuedId });
    for (const [name, replaces] of [
      [made.address, other.issuedId],
      [other.address, made.issuedId],
      [made.address, 'AAAA.AAAA'],
      [made.address, 7],
    ] as const) {
      await expect(replacing(made, name, replaces), `${name} ${replaces}`).rejects.toMatchObject({
        type: 'malformed',
      });
    }
    // The first one goes on: no other may say the same.
    await world.tenant((tx) =>
      tx
        .updateTable('acme_orders')
        .set({ state: 'processing' })
        .where('replaces', '=', made.issuedId)
        .execute(),
    );
    await expect(replacing(made, made.address, made.issuedId)).rejects.toMatchObject({
      ...{ type: 'alreadyReplaced', status: 409 },
    });
  });
});
