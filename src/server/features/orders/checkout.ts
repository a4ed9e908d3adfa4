import { randomBytes } from 'node:crypto';
import { AppError } from '#contracts/errors.ts';
import type { PurchaseBody } from '#contracts/operations/orders.ts';
import { jobActions } from '#contracts/values/audit-actions.ts';
import { type AuditActor, auditAll } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, isUniqueViolation, sql, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { claimKey } from '#kernel/idempotency.ts';
import { hashOf, newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Seal } from '#kernel/seal.ts';
import { hold } from '../../ledger/ledger.ts';
import { type CertificatePricing, findRenewable, type ReadCsr } from '../certificates/index.ts';
import type { CustomersApi, OrderContacts } from '../customers/index.ts';
import { type DomainPricing, findDomain, restorableUntil } from '../domains/index.ts';
import { type ItemDetails, openStates, secretsContext } from './item.ts';
import { collect, refuseProblems } from './line-problems.ts';
import { type Line, linesOf, type PricedLine } from './lines.ts';
import { priceLines, requireSeenPrice } from './quote.ts';

export interface PlacedOrder {
  orderId: string;
  /** Items of this order, to be advanced now. */
  itemIds: string[];
  /** The reply that was given to the very same request before. */
  replay: unknown | null;
}

export interface CheckoutDeps {
  db: Db;
  clock: Clock;
  seal: Seal;
  pricing: { domains: DomainPricing; certificates: CertificatePricing };
  customers: Pick<CustomersApi, 'contactsForOrder'>;
  readCsr: ReadCsr;
  /** Throws when the registrar will certainly refuse orders of this cost for want of our own funds. */
  requireRegistrarFunds(costCents: number): Promise<void>;
  /** How much of top-ups in processing may be spent, in cents. */
  pendingLimitCents: number;
}

/** What is known about a line before money is held. */
interface Prepared {
  contacts: OrderContacts | null;
  expiryYear: number | null;
}
type PreparedLine = PricedLine & Prepared;

/** Two carts that want the same name at the same instant: the loser attaches to the winner on the next try. */
const maxTries = 3;
/** A first claim is made within moments; a queued item older than this lost its process. */
const firstLookMs = 15_000;
/** Requests of one burst, or of an impatient person, come within this time. */
const justRenewedMs = 10 * 60_000;
const actionOf = {
  domain: 'orders.purchase',
  certificate: 'orders.purchase',
  renewal: 'orders.renew',
  transfer: 'orders.transfer',
  redemption: 'orders.restore',
} as const;

/** A renewal moves the expiry by a year at least; whatever is less is the registry's own rounding. */
const halfYearMs = 180 * 86_400_000;

/**
 * From an order body to an order with held money, in one short transaction. Prices, funds, customers and contacts
 * are checked before anything is held, so that little can fail late.
 */
export function createCheckout(deps: CheckoutDeps) {
  const { db, clock, seal } = deps;

  return async function place(
    scope: Scope,
    body: PurchaseBody,
    idempotencyKey: string | null,
    source: 'cart' | 'auto_renew' = 'cart',
  ): Promise<PlacedOrder> {
    const lines = linesOf(body);
    const requestHash = hashOf(body);
    const key = idempotencyKey ?? newId();
    const known = await inTransaction(db, scope, (tx) => priorReply(tx, scope, key, requestHash));
    if (known) return known;
    const checked = await requireReadable(scope, lines);
    const priced = await priceLines(deps.pricing, checked);
    requireSeenPrice(priced, body.price);
    await deps.requireRegistrarFunds(priced.reduce((sum, line) => sum + line.costCents, 0));
    for (let attempt = 1; ; attempt += 1) {
      try {
        const placed = await inTransaction(db, scope, async (tx) => {
          const before = await priorReply(tx, scope, key, requestHash);
          if (before) return before;
          const prepared = await prepare(tx, scope, priced);
          return write(tx, scope, prepared, { key, requestHash, source });
        });
        failpoint('purchase.held');
        return placed;
      } catch (error) {
        if (!isUniqueViolation(error) || attempt >= maxTries) throw error;
      }
    }
  };

  /** Requests for certificates are read first; where one is refused, what is wrong with the other lines is told with it. */
  async function requireReadable(scope: Scope, lines: readonly Line[]): Promise<Line[]> {
    const { good, problems } = await collect(lines, (line) => withReadCsr(deps.readCsr, line));
    if (problems.length > 0) {
      const others = await inTransaction(db, scope, (tx) =>
        collect(good, (line) => prepareLine(tx, scope, line, good)),
      );
      refuseProblems([...problems, ...others.problems]);
    }
    return good;
  }

  /** The same key again: the same order, or its stored reply; another body under it is refused. */
  async function priorReply(
    tx: Tx,
    scope: Scope,
    key: string,
    requestHash: string,
  ): Promise<PlacedOrder | null> {
    const row = await tx
      .selectFrom('idempotency_keys')
      .select(['request_hash', 'reply', 'order_id'])
      .where('organisation_id', '=', scope.organisationId)
      .where('user_id', '=', scope.userId)
      .where('operation', '=', 'orders.purchase')
      .where('key', '=', key)
      .executeTakeFirst();
    if (!row) return null;
    if (row.request_hash !== requestHash) throw new AppError('idempotency_key_reused');
    if (!row.order_id) throw new AppError('in_progress');
    return { orderId: row.order_id, itemIds: [], replay: row.reply ?? null };
  }

  /** Checks what belongs to whom: customers and domains of other organisations are as unknown as invented ones. */
  async function prepare(tx: Tx, scope: Scope, priced: readonly PricedLine[]): Promise<PreparedLine[]> {
    const { good, problems } = await collect(priced, (line) => prepareLine(tx, scope, line, priced));
    refuseProblems(problems);
    return good;
  }

  async function prepareLine<L extends Line>(
    tx: Tx,
    scope: Scope,
    line: L,
    lines: readonly Line[],
  ): Promise<L & Prepared> {
    if (line.kind === 'renewal') return prepareRenewal(tx, scope, line);
    if (line.kind === 'redemption') return prepareRedemption(tx, scope, line);
    const contacts = line.customerId
      ? await deps.customers.contactsForOrder(tx, scope, line.customerId)
      : null;
    if (!contacts) throw new AppError('not_found', { message: `${line.address}: please choose a customer` });
    if (line.kind !== 'certificate' && (await findDomain(tx, scope, line.address))) {
      throw new AppError('unprocessable', { message: `${line.address} is among your domains already` });
    }
    const certificate = line.certificate && (await prepareCertificate(tx, scope, line, lines));
    return { ...line, ...(certificate ? { certificate } : {}), contacts, expiryYear: null };
  }

  /**
   * The body of P1 §7 says "Email" and names nobody. Where the domain is ours, or is bought in the same order, DNS is
   * the portal's choice (decisions no. 16); elsewhere a mailbox that every authority may ask.
   */
  async function prepareCertificate(
    tx: Tx,
    scope: Scope,
    { certificate, address }: Line,
    lines: readonly Line[],
  ): Promise<Line['certificate']> {
    if (!certificate) return undefined;
    const renewsOrderId = certificate.regType === 'renew' ? await findRenewable(tx, scope, address) : null;
    if (certificate.regType === 'renew' && !renewsOrderId) {
      throw new AppError('not_found', { message: `There is no certificate for ${address} to renew` });
    }
    if (certificate.validation !== 'Email' || certificate.approverEmail) {
      return { ...certificate, renewsOrderId };
    }
    const bought = lines.some((line) => line.kind === 'domain' && line.address === address);
    if (bought || (await findDomain(tx, scope, address))) {
      return { ...certificate, renewsOrderId, validation: 'DNS' };
    }
    return { ...certificate, renewsOrderId, approverEmail: `admin@${address}` };
  }

  async function prepareRedemption<L extends Line>(tx: Tx, scope: Scope, line: L): Promise<L & Prepared> {
    const domain = await findDomain(tx, scope, line.address);
    if (!domain) throw new AppError('not_found', { message: `${line.address} is not among your domains` });
    if (!restorableUntil(domain, clock.now())) {
      throw new AppError('unprocessable', { message: `${line.address} cannot be restored` });
    }
    return { ...line, customerId: domain.customer_id, contacts: null, expiryYear: null };
  }

  async function prepareRenewal<L extends Line>(tx: Tx, scope: Scope, line: L): Promise<L & Prepared> {
    const domain = await findDomain(tx, scope, line.address);
    if (!domain) throw new AppError('not_found', { message: `${line.address} is not among your domains` });
    if (domain.status === 'transferring' || !domain.expires_at) {
      throw new AppError('unprocessable', {
        message: `${line.address} can be renewed when its transfer is complete`,
      });
    }
    if (!line.seenExpiry) await requireNotJustRenewed(tx, line, domain.expires_at);
    if (restorableUntil(domain, clock.now())) {
      throw new AppError('unprocessable', {
        message: `${line.address} was deleted at the registry. It cannot be renewed, but it can be restored.`,
      });
    }
    if (line.seenExpiry && domain.expires_at.getTime() - line.seenExpiry.getTime() > halfYearMs) {
      const day = domain.expires_at.toISOString().slice(0, 10);
      throw new AppError('unprocessable', {
        message: `${line.address} was renewed in the meantime and expires on ${day} now`,
        data: { renewed: true },
      });
    }
    const yearsLeft = (domain.expires_at.getTime() - clock.now().getTime()) / (365.25 * 86_400_000);
    if (yearsLeft + line.years > 10) {
      throw new AppError('unprocessable', {
        message: `${line.address} cannot be registered for more than 10 years in all`,
      });
    }
    return {
      ...line,
      customerId: domain.customer_id,
      contacts: null,
      expiryYear: domain.expires_at.getUTCFullYear(),
    };
  }

  /** Whoever does not say which expiry is to be moved cannot have seen one that has just been moved. */
  async function requireNotJustRenewed(tx: Tx, { address }: Line, expiresAt: Date): Promise<void> {
    const renewed = await tx
      .selectFrom('order_items')
      .select('id')
      .where('kind', '=', 'renewal')
      .where('address', '=', address)
      .where('state', '=', 'succeeded')
      .where('updated_at', '>', new Date(clock.now().getTime() - justRenewedMs))
      .limit(1)
      .executeTakeFirst();
    if (!renewed) return;
    const day = expiresAt.toISOString().slice(0, 10);
    throw new AppError('unprocessable', {
      message: `${address} was renewed a moment ago and expires on ${day} now. Name this day as expireDate to renew it once more.`,
    });
  }

  async function write(
    tx: Tx,
    scope: Scope,
    prepared: readonly PreparedLine[],
    request: { key: string; requestHash: string; source: 'cart' | 'auto_renew' },
  ): Promise<PlacedOrder> {
    const now = clock.now();
    const running = await openItems(tx, scope, prepared);
    const fresh = prepared.filter((line) => !running.has(`${line.kind} ${line.address}`));
    const orderId = newId(now.getTime());
    const items = fresh.map((line, position) => ({ line, position, id: newId(now.getTime()) }));
    const totalCents = fresh.reduce((sum, line) => sum + line.priceCents, 0);
    await requireDailyLimit(tx, scope, totalCents, now);
    await tx
      .insertInto('orders')
      .values({
        id: orderId,
        organisation_id: scope.organisationId,
        // A job is nobody.
        user_id: request.source === 'auto_renew' ? null : scope.userId,
        source: request.source,
        state: items.length === 0 ? 'settled' : 'held',
        total_cents: totalCents,
        attached: [...running.values()],
        created_at: now,
        ended_at: items.length === 0 ? now : null,
      })
      .execute();
    await insertItems(tx, scope, orderId, items, now);
    const held = await hold(tx, {
      organisationId: scope.organisationId,
      items: items.map(({ id, line }) => ({ itemId: id, cents: line.priceCents })),
      pendingLimitCents: deps.pendingLimitCents,
    });
    if (!held) throw new AppError('insufficient_funds');
    await claimKey(tx, scope, {
      operation: 'orders.purchase',
      key: request.key,
      requestHash: request.requestHash,
      orderId,
    });
    await logOrder(tx, scope, orderId, items, request.source);
    await enqueueJob(
      tx,
      'billing.consider-auto-topup',
      { organisationId: scope.organisationId },
      {
        key: `auto-topup:${scope.organisationId}`,
      },
    );
    return { orderId, itemIds: items.map(({ id }) => id), replay: null };
  }

  /** One entry for each thing that was ordered. What is attached to was logged by its first buyer. */
  function logOrder(
    tx: Tx,
    scope: Scope,
    orderId: string,
    items: readonly { id: string; line: PreparedLine }[],
    source: 'cart' | 'auto_renew',
  ): Promise<void> {
    if (items.length === 0) return Promise.resolve();
    // A job is nobody: the log names it, and no person.
    const actor: AuditActor = source === 'auto_renew' ? { ...scope, userId: null } : scope;
    return auditAll(
      tx,
      actor,
      items.map(({ id, line }) => ({
        at: clock.now(),
        action: source === 'auto_renew' ? jobActions['renewals.renew'].action : actionOf[line.kind],
        objectKind: 'order item',
        object: line.address,
        customerId: line.customerId,
        after: { order: orderId, item: id, kind: line.kind, years: line.years, priceCents: line.priceCents },
      })),
    );
  }

  /** What is being bought already: a second buyer attaches to the running item. */
  async function openItems(tx: Tx, scope: Scope, lines: readonly Line[]): Promise<Map<string, string>> {
    const rows = await tx
      .selectFrom('order_items')
      .select(['id', 'kind', 'address'])
      .where('organisation_id', '=', scope.organisationId)
      .where('state', 'in', [...openStates])
      .where(
        'address',
        'in',
        lines.map((line) => line.address),
      )
      .execute();
    const wanted = new Set(lines.map((line) => `${line.kind} ${line.address}`));
    return new Map(
      rows.map((row) => [`${row.kind} ${row.address}`, row.id] as const).filter(([name]) => wanted.has(name)),
    );
  }

  async function insertItems(
    tx: Tx,
    scope: Scope,
    orderId: string,
    items: readonly { line: PreparedLine; position: number; id: string }[],
    now: Date,
  ): Promise<void> {
    if (items.length === 0) return;
    await tx
      .insertInto('order_items')
      .values(
        items.map(({ line, position, id }) => ({
          id,
          organisation_id: scope.organisationId,
          order_id: orderId,
          position,
          kind: line.kind,
          address: line.address,
          customer_id: line.customerId,
          years: line.years,
          price_cents: line.priceCents,
          cost_cents: line.costCents,
          details: JSON.stringify(detailsOf(line)),
          secrets_sealed: secretsOf(line, secretsContext(scope.organisationId, id)),
          state: 'queued' as const,
          expiry_year: line.expiryYear,
          next_check_at: new Date(now.getTime() + firstLookMs),
          created_at: now,
          updated_at: now,
        })),
      )
      .execute();
  }

  function secretsOf(line: PreparedLine, context: string): Buffer | null {
    if (line.kind !== 'domain' && line.kind !== 'transfer') return null;
    const secrets = {
      username: randomBytes(10).toString('hex'),
      password: randomBytes(15).toString('base64url').replace(/-/g, '~').slice(0, 20),
      ...(line.authCode ? { authCode: line.authCode } : {}),
    };
    return seal.seal(JSON.stringify(secrets), context);
  }

  /** The employee's limit for a day (UTC), over everything of that day that was not declined. */
  async function requireDailyLimit(tx: Tx, scope: Scope, totalCents: number, now: Date): Promise<void> {
    const user = await tx
      .selectFrom('users')
      .select('daily_limit_cents')
      .where('id', '=', scope.userId)
      .executeTakeFirst();
    if (user?.daily_limit_cents === null || user?.daily_limit_cents === undefined) return;
    // Serialises this user's purchases: two at once must not both see room for one.
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${scope.userId}, 0))`.execute(tx);
    const dayStart = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
    const spent = await tx
      .selectFrom('order_items as i')
      .innerJoin('orders as o', 'o.id', 'i.order_id')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('i.price_cents'), sql<number>`0`).as('cents'))
      .where('o.user_id', '=', scope.userId)
      .where('o.created_at', '>=', dayStart)
      .where('i.state', '<>', 'declined')
      .executeTakeFirstOrThrow();
    if (Number(spent.cents) + totalCents > user.daily_limit_cents) throw new AppError('daily_limit');
  }
}

/** Refuses what no authority signs, before anything is priced or stored; a private key goes no further than here. */
async function withReadCsr(readCsr: ReadCsr, line: Line): Promise<Line> {
  if (!line.certificate) return line;
  const { pem } = await readCsr(line.certificate.csr, { domain: line.address });
  return { ...line, certificate: { ...line.certificate, csr: pem } };
}

function detailsOf(line: PreparedLine): ItemDetails {
  return {
    privacy: line.privacy,
    ...(line.premium ? { premium: true } : {}),
    ...(line.autoRenew === undefined ? {} : { autoRenew: line.autoRenew }),
    ...(line.contacts ? { contacts: line.contacts } : {}),
    ...(line.certificate
      ? {
          certificate: {
            provider: line.certificate.provider,
            productType: line.certificate.productType,
            csr: line.certificate.csr,
            validation: line.certificate.validation,
            approverEmail: line.certificate.approverEmail,
            renewsOrderId: line.certificate.renewsOrderId ?? null,
          },
        }
      : {}),
  };
}
