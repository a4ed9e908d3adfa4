import { insertAccess, updateAccess } from '../../src/server/features/acme/access.repo.ts';
import { createAcmeAccesses } from '../../src/server/features/acme/access.ts';
import { hmacContext } from '../../src/server/features/acme/access-log.repo.ts';
import { insertAccount } from '../../src/server/features/acme/accounts.repo.ts';
import { createFinalize, type FinalizeDeps } from '../../src/server/features/acme/finalize.ts';
import { findAcmeOrder, insertAcmeOrder, startOrder } from '../../src/server/features/acme/orders.repo.ts';
import type { Line } from '../../src/server/features/orders/lines.ts';
import { inTransaction } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import type { TestDatabase } from './database.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  organisationRow,
  userRow,
  within,
} from './rows.ts';

/** Orders of clients that have their signing request, over stand-ins of the order engine, the registrar and the letters. */

const seal = createSeal([{ number: 1, secret: 'a-key-for-these-tests-alone' }]);
const now = new Date('2026-11-22T12:00:00Z');
const clock = { now: () => now };
const nameservers = ['ns1.portal.net', 'ns2.portal.net'];
const limits = { ordersPerMonth: 3, centsPerMonth: 90_00 };
const rapidssl = {
  ...{ productType: 'rapidssl', provider: 'RapidSSL', certificate: 'RapidSSL', price: 10 },
  ...{ wildcard: false, businessValidated: false },
};

interface Placing {
  source: string;
  also(tx: unknown, order: object): Promise<void>;
}
interface Reissuing {
  csr: string;
  accessId: string;
  intended(tx: unknown, id: string): Promise<void>;
}
interface Place {
  organisationId: string;
  certificateId: string;
}

/** What the stand-ins were asked for, and what others do meanwhile. A test begins with `clear`. */
function ledger() {
  return {
    bought: [] as string[],
    reissued: [] as string[],
    /** What people heard of. */
    told: [] as string[],
    /** Each purchase as it was asked for. */
    placed: [] as { scope: Scope; line: Line | undefined; key: string; source: string }[],
    /** Each reissue, of which certificate. */
    asked: [] as (Place & Pick<Reissuing, 'csr' | 'accessId'>)[],
    /** Items that the engine took on, and certificates that were read again. */
    begun: [] as string[],
    advanced: [] as string[],
    brought: [] as string[],
    /** What others do just before the order's own transaction. */
    meanwhile: async (): Promise<unknown> => undefined,
    /** With what the order engine refuses to place an order. */
    refusal: null as Error | null,
    sold: [rapidssl],
  };
}

export type Finalizing = Awaited<ReturnType<typeof openFinalizing>>;

export async function openFinalizing(database: TestDatabase) {
  const { db, systemDb } = database;
  const organisationId = await organisationRow(database);
  const customerId = await customerRow(database, organisationId);
  const userId = await userRow(database, organisationId);
  const happened = ledger();
  const scope = () =>
    ({ organisationId, userId, reach: { kind: 'organisation' }, role: 'MSP_OWNER' }) as unknown as Scope;
  const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);

  async function place(of: Scope, request: { lines: Line[] }, key: string, { also, source }: Placing) {
    await happened.meanwhile();
    const orderId = await orderRow(database, organisationId);
    const [line] = request.lines;
    happened.placed.push({ scope: of, line, key, source });
    if (happened.refusal) throw happened.refusal;
    const change = { kind: 'certificate' as const, address: line?.address ?? '', state: 'queued' as const };
    const itemId = await itemRow(database, { organisationId, orderId }, change);
    try {
      await inTransaction(db, { organisationId: of.organisationId }, (tx) =>
        also(tx, { orderId, itemIds: [itemId], totalCents: 10_00 }),
      );
    } catch (error) {
      // As the transaction that holds the money would undo it.
      await across(database, (tx) => tx.deleteFrom('order_items').where('id', '=', itemId).execute());
      throw error;
    }
    happened.bought.push(itemId);
    return { orderId, itemIds: [itemId], replay: null };
  }

  function finalize() {
    const deps = {
      ...{ db, systemDb, clock, nameservers, logger: { error: () => undefined } },
      accesses: createAcmeAccesses({ systemDb, clock, seal }),
      pricing: { list: async () => happened.sold },
      orders: {
        place,
        engine: {
          begin: async (_of: string, itemId: string) => void happened.begun.push(itemId),
          advance: async (_of: string, itemId: string) => void happened.advanced.push(itemId),
        },
      },
      certificates: {
        async reissue(at: Place, { csr, accessId, intended }: Reissuing) {
          await happened.meanwhile();
          const id = newId();
          await tenant((tx) => intended(tx, id));
          happened.asked.push({ ...at, csr, accessId });
          happened.reissued.push(id);
        },
        bring: async ({ certificateId }: Place) => void happened.brought.push(certificateId),
      },
      refusals: {
        tell: async (_tx: unknown, _order: unknown, { message }: Error) => void happened.told.push(message),
      },
    };
    return createFinalize(deps as unknown as FinalizeDeps);
  }

  /** `beside`: of the same access. */
  async function order(beside?: { accessId: string; accountId: string }) {
    const { id: domainId, address } = await domainRow(database, organisationId, {
      ...{ customer_id: customerId, nameservers },
    });
    const { accessId, accountId } = beside ?? { accessId: newId(), accountId: newId() };
    const orderId = newId();
    await tenant(async (tx) => {
      const own = { organisation_id: organisationId, access_id: accessId, created_at: now };
      if (!beside)
        await insertAccess(tx, scope(), {
          ...{ id: accessId, keyId: `nwe_${accessId}`, name: 'web server', customerId },
          hmacSealed: seal.seal('c2VjcmV0', hmacContext(organisationId, accessId)),
          ...{
            hosts: null,
            productType: 'rapidssl',
            mayBuy: limits,
            byCustomer: false,
            expiresAt: null,
            now,
          },
        });
      if (!beside)
        await insertAccount(tx, { id: accountId, ...own, thumbprint: accountId, contacts: [], jwk: {} });
      await insertAcmeOrder(tx, {
        ...{ id: orderId, ...own, account_id: accountId, customer_id: customerId, names: [address] },
        ...{ replaces: null, expires_at: new Date(now.getTime() + 7 * 86_400_000) },
      });
      const digest = Buffer.from(orderId);
      const request = { csr: 'a request', csrDigest: digest, keyDigest: digest };
      await startOrder(tx, orderId, request, { now, lookAt: now });
    });
    const read = () => tenant((tx) => findAcmeOrder(tx, orderId));
    return { accessId, accountId, orderId, domainId, address, read, place: { organisationId, orderId } };
  }

  /** Of an access, what differs from how it was made. */
  const change = (accessId: string, of: object) =>
    tenant((tx) =>
      updateAccess(tx, scope(), accessId, {
        ...{ name: 'web server', hosts: null, productType: 'rapidssl', mayBuy: limits, expiresAt: null },
        ...of,
      }),
    );

  return {
    ...{ organisationId, customerId, userId, scope, tenant, finalize, order, change, happened },
    clear: () => void Object.assign(happened, ledger()),
  };
}

export type Made = Awaited<ReturnType<Finalizing['order']>>;

/** For a key of its own, by an authority whose key is named 010203. Its name there is `AQID.` and the serial (RFC 9773). */
export async function certificateWithKey(serial = 'a1ff') {
  await import('reflect-metadata');
  const { AuthorityKeyIdentifierExtension, X509CertificateGenerator } = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=a.com', notBefore: now, notAfter: new Date(now.getTime() + 90 * 86_400_000) },
    ...{ serialNumber: serial, signingAlgorithm: algorithm, keys },
    extensions: [new AuthorityKeyIdentifierExtension('010203')],
  });
  const bytes = Buffer.from(serial, 'hex');
  const signed = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return {
    pem: certificate.toString('pem'),
    /** As a client sends it. */
    der: Buffer.from(certificate.rawData).toString('base64url'),
    issuedId: `AQID.${signed.toString('base64url')}`,
    spki: Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey)),
    jwk: (await crypto.subtle.exportKey('jwk', keys.publicKey)) as Record<string, unknown>,
  };
}
