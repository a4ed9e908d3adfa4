import { randomBytes } from 'node:crypto';
import { AppError } from '#contracts/errors.ts';
import { jobActions } from '#contracts/values/audit-actions.ts';
import { type AuditActor, auditAll } from '#kernel/audit.ts';
import { type Db, inReading, inTransaction, isUniqueViolation, type Tx } from '#kernel/db/database.ts';
import { requireOpen } from '#kernel/db/open-organisation.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { claimKey } from '#kernel/idempotency.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Seal } from '#kernel/seal.ts';
import { considerTopUp } from '../../ledger/auto-balance.ts';
import { hold } from '../../ledger/ledger.ts';
import type { CertificatePricing, ReadCsr } from '../certificates/index.ts';
import type { DomainPricing } from '../domains/index.ts';
import {
  dailyLimitCents,
  insertOrder,
  lockedSpentCents,
  type NewItem,
  openItemsAt,
  requestUnder,
} from './checkout.repo.ts';
import {
  auditActionOf,
  dayStartOf,
  exceedsDailyLimit,
  type OrderSource,
  passwordOf,
  splitRunning,
  totalCents,
} from './checkout.rules.ts';
import { type ItemDetails, secretsContext } from './item.ts';
import { collect, refuseProblems } from './line-problems.ts';
import type { Line, OrderRequest, PricedLine } from './lines.ts';
import { type PrepareDeps, type PreparedLine, prepareLine } from './prepare.ts';
import { knownPrices, priceLines, requireSeenPrice } from './quote.ts';

/** What its caller decides and writes in the very transaction that holds the money; it throws to have nothing done. */
export type AlsoWrite = (
  tx: Tx,
  order: { orderId: string; itemIds: string[]; totalCents: number },
) => Promise<void>;

export interface PlacedOrder {
  orderId: string;
  /** Items of this order, to be advanced now. */
  itemIds: string[];
  /** The reply that was given to the very same request before. */
  replay: unknown | null;
}

export interface CheckoutDeps extends PrepareDeps {
  db: Db;
  seal: Seal;
  pricing: { domains: DomainPricing; certificates: CertificatePricing };
  readCsr: ReadCsr;
  /** Throws when the registrar will certainly refuse orders of this cost for want of our own funds. */
  requireRegistrarFunds(costCents: number): Promise<void>;
  /** How much of top-ups in processing may be spent, in cents. */
  pendingLimitCents: number;
}

/** Two carts that want the same name at the same instant: the loser attaches to the winner on the next try. */
const maxTries = 3;
/** A first claim is made within moments; a queued item older than this lost its process. */
const firstLookMs = 15_000;

/**
 * From lines to an order with held money, in one short transaction. Prices, funds, customers and contacts are checked
 * before anything is held, so that little can fail late.
 */
export function createCheckout(deps: CheckoutDeps) {
  const { db } = deps;

  return async function place(
    scope: Scope,
    request: OrderRequest,
    idempotencyKey: string | null,
    { source = 'cart', also }: { source?: OrderSource; also?: AlsoWrite } = {},
  ): Promise<PlacedOrder> {
    const key = idempotencyKey ?? newId();
    const [known, prices] = await inReading(db, scope, (tx) =>
      Promise.all([priorReply(tx, scope, key, request.hash), knownPrices(deps.pricing, tx, request.lines)]),
    );
    if (known) return known;
    const checked = await requireReadable(deps, scope, request.lines);
    const priced = await priceLines(deps.pricing, checked, prices);
    requireSeenPrice(priced, request.seenTotalCents);
    await deps.requireRegistrarFunds(priced.reduce((sum, line) => sum + line.costCents, 0));
    for (let attempt = 1; ; attempt += 1) {
      try {
        const placed = await inTransaction(db, scope, async (tx) => {
          // Side by side: the database is waited for once. An earlier answer goes before whatever is wrong by now.
          const [before, ready] = await Promise.allSettled([
            priorReply(tx, scope, key, request.hash),
            prepare(deps, tx, scope, priced),
          ]);
          if (before.status === 'rejected') throw before.reason;
          if (before.value) return before.value;
          if (ready.status === 'rejected') throw ready.reason;
          return write(deps, tx, scope, ready.value, { key, hash: request.hash, source, also });
        });
        failpoint('purchase.held');
        return placed;
      } catch (error) {
        if (error instanceof AppError && error.code === 'insufficient_funds') {
          await inTransaction(db, scope, (tx) => considerTopUp(tx, scope.organisationId));
        }
        if (!isUniqueViolation(error) || attempt >= maxTries) throw error;
      }
    }
  };
}

/** The same key again: the same order, or its stored reply; another request under it is refused. */
async function priorReply(tx: Tx, scope: Scope, key: string, hash: string): Promise<PlacedOrder | null> {
  const known = await requestUnder(tx, scope, key);
  if (!known) return null;
  if (known.hash !== hash) throw new AppError('idempotency_key_reused');
  if (!known.orderId) throw new AppError('in_progress');
  return { orderId: known.orderId, itemIds: [], replay: known.reply };
}

/** Requests for certificates are read first; where one is refused, the problems of the other lines are named with it. */
async function requireReadable(deps: CheckoutDeps, scope: Scope, lines: readonly Line[]): Promise<Line[]> {
  const { good, problems } = await collect(lines, (line) => withReadCsr(deps.readCsr, line));
  if (problems.length === 0) return good;
  const others = await inTransaction(deps.db, scope, (tx) =>
    collect(good, (line) => prepareLine(deps, tx, scope, { line, lines: good })),
  );
  refuseProblems([...problems, ...others.problems]);
  return good;
}

/** Refuses what no authority signs, before anything is priced or stored; a private key goes no further than here. */
async function withReadCsr(readCsr: ReadCsr, line: Line): Promise<Line> {
  if (!line.certificate) return line;
  const { pem, names } = await readCsr(line.certificate.csr, { domain: line.address });
  return { ...line, certificate: { ...line.certificate, csr: pem, hostNames: names } };
}

async function prepare(
  deps: CheckoutDeps,
  tx: Tx,
  scope: Scope,
  lines: readonly PricedLine[],
): Promise<Ready> {
  const addresses = lines.map(({ address }) => address);
  const [{ good: prepared, problems }, running, limitCents] = await Promise.all([
    collect(lines, (line) => prepareLine(deps, tx, scope, { line, lines })),
    openItemsAt(tx, scope, addresses),
    dailyLimitCents(tx, scope.userId),
  ]);
  refuseProblems(problems);
  return { prepared, running, limitCents };
}

/** What was found about an order before anything of it is written. */
interface Ready {
  prepared: PreparedLine[];
  running: Awaited<ReturnType<typeof openItemsAt>>;
  /** The person's own; null: none. */
  limitCents: number | null;
}

/** Order, items and hold, in one transaction. */
async function write(
  deps: CheckoutDeps,
  tx: Tx,
  scope: Scope,
  { prepared, running, limitCents }: Ready,
  request: { key: string; hash: string; source: OrderSource; also: AlsoWrite | undefined },
): Promise<PlacedOrder> {
  const { organisationId } = scope;
  const { key, source } = request;
  const now = deps.clock.now();
  const { fresh, attached } = splitRunning(prepared, running);
  const orderId = newId(now.getTime());
  const items = fresh.map((line) => newItem(deps.seal, organisationId, line, now));
  const orderCents = totalCents(fresh);
  if (limitCents !== null) await requireDailyLimit(tx, scope, { limitCents, orderCents, now });
  // A job is nobody.
  const userId = source === 'cart' ? scope.userId : null;
  const order = { id: orderId, organisationId, userId, source, totalCents: orderCents, attached, items, now };
  await requireOpen(tx, scope);
  await insertOrder(tx, order);
  await request.also?.(tx, { orderId, itemIds: items.map(({ id }) => id), totalCents: orderCents });
  const [held] = await Promise.all([
    hold(tx, {
      organisationId,
      items: items.map(({ id, line }) => ({ itemId: id, cents: line.priceCents })),
      pendingLimitCents: deps.pendingLimitCents,
    }),
    // The wallet is locked first, as everywhere.
    logOrder(tx, scope, order),
  ]);
  if (!held) throw new AppError('insufficient_funds');
  await claimKey(tx, scope, { operation: 'orders.purchase', key, requestHash: request.hash, orderId });
  await considerTopUp(tx, organisationId);
  return { orderId, itemIds: items.map(({ id }) => id), replay: null };
}

function newItem(seal: Seal, organisationId: string, line: PreparedLine, now: Date): NewItem {
  const id = newId(now.getTime());
  return {
    id,
    line,
    details: detailsOf(line),
    secretsSealed: secretsOf(seal, line, secretsContext(organisationId, id)),
    expiryYear: line.expiryYear,
    firstLookAt: new Date(now.getTime() + firstLookMs),
  };
}

/** One entry for each thing that was ordered. What is attached to was logged by its first buyer. */
async function logOrder(
  tx: Tx,
  scope: Scope,
  order: { id: string; source: OrderSource; items: readonly NewItem[]; now: Date },
): Promise<void> {
  if (order.items.length === 0) return;
  // A job is nobody: the log names it, and no person.
  const actor: AuditActor = order.source === 'cart' ? scope : { ...scope, userId: null };
  await auditAll(
    tx,
    actor,
    order.items.map(({ id, line: { kind, address, customerId, years, priceCents } }) => ({
      at: order.now,
      action: auditActionOf(kind, order.source, jobActions),
      objectKind: 'order item',
      object: address,
      customerId,
      after: { order: order.id, item: id, kind, years, priceCents },
    })),
  );
}

function secretsOf(seal: Seal, line: PreparedLine, context: string): Buffer | null {
  if (line.kind !== 'domain' && line.kind !== 'transfer') return null;
  const secrets = {
    username: randomBytes(10).toString('hex'),
    password: passwordOf(randomBytes(15)),
    ...(line.authCode ? { authCode: line.authCode } : {}),
  };
  return seal.seal(JSON.stringify(secrets), context);
}

/** The employee's limit for a day (UTC), over everything of that day that was not declined. */
async function requireDailyLimit(
  tx: Tx,
  scope: Scope,
  { limitCents, orderCents, now }: { limitCents: number; orderCents: number; now: Date },
): Promise<void> {
  const spentCents = await lockedSpentCents(tx, scope.userId, dayStartOf(now));
  if (exceedsDailyLimit(limitCents, spentCents, orderCents)) throw new AppError('daily_limit');
}

function detailsOf(line: PreparedLine): ItemDetails {
  const { certificate } = line;
  return {
    privacy: line.privacy,
    ...(line.premium ? { premium: true } : {}),
    ...(line.autoRenew === undefined ? {} : { autoRenew: line.autoRenew }),
    ...(line.contacts ? { contacts: line.contacts } : {}),
    ...(certificate
      ? {
          certificate: {
            provider: certificate.provider,
            productType: certificate.productType,
            csr: certificate.csr,
            validation: certificate.validation,
            approverEmail: certificate.approverEmail,
            renewsOrderId: certificate.renewsOrderId ?? null,
            ...(certificate.acmeAccessId ? { acmeAccessId: certificate.acmeAccessId } : {}),
          },
        }
      : {}),
  };
}
