import { AppError } from '#contracts/errors.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { findRenewable } from '../certificates/index.ts';
import type { CustomersApi, OrderContacts } from '../customers/index.ts';
import { findDomain, hasDomain, requireHere, restorableUntil } from '../domains/index.ts';
import { wasRenewed } from './checkout.repo.ts';
import { isBoughtWith, justRenewedSince, renewalRefusal, validatedBy } from './checkout.rules.ts';
import type { Line, PricedLine } from './lines.ts';

/** What is known about a line before money is held. */
export interface Prepared {
  contacts: OrderContacts | null;
  expiryYear: number | null;
}
export type PreparedLine = PricedLine & Prepared;

export interface PrepareDeps {
  clock: Clock;
  customers: Pick<CustomersApi, 'contactsForOrder'>;
}

/**
 * Checks what belongs to whom: customers and domains of other organisations are as unknown as invented ones. `lines`: the
 * whole order, of which this is one.
 */
export async function prepareLine<L extends Line>(
  deps: PrepareDeps,
  tx: Tx,
  scope: Scope,
  { line, lines }: { line: L; lines: readonly Line[] },
): Promise<L & Prepared> {
  if (line.kind === 'renewal') return prepareRenewal(deps, tx, scope, line);
  if (line.kind === 'redemption') return prepareRedemption(deps, tx, scope, line);
  const isName = line.kind !== 'certificate';
  const [contacts, owned] = await Promise.all([
    line.customerId ? deps.customers.contactsForOrder(tx, scope, line.customerId) : null,
    isName ? findDomain(tx, scope, line.address) : undefined,
  ]);
  if (!contacts) throw new AppError('not_found', { message: `${line.address}: please choose a customer` });
  if (line.kind === 'certificate') {
    const certificate = await prepareCertificate(tx, scope, line, lines);
    return { ...line, ...(certificate ? { certificate } : {}), contacts, expiryYear: null };
  }
  // What has left the account can be bought again: the registrar refuses the order if it is there after all (decision 275).
  if (owned && !owned.missing_since) {
    throw new AppError('unprocessable', { message: `${line.address} is already in your account` });
  }
  return { ...line, contacts, expiryYear: null };
}

async function prepareCertificate(
  tx: Tx,
  scope: Scope,
  line: Line,
  lines: readonly Line[],
): Promise<Line['certificate']> {
  const { certificate, address } = line;
  if (!certificate) return undefined;
  const { productType, hostNames = [] } = certificate;
  const renewsOrderId =
    certificate.regType === 'renew'
      ? (certificate.renewsOrderId ?? (await findRenewable(tx, scope, { address, productType, hostNames })))
      : null;
  if (certificate.regType === 'renew' && !renewsOrderId) {
    throw new AppError('not_found', { message: `There is no certificate for ${address} to renew` });
  }
  const isOurs = isBoughtWith(lines, address) || (await hasDomain(tx, scope, address));
  return { ...certificate, renewsOrderId, ...validatedBy(line, isOurs) };
}

async function prepareRedemption<L extends Line>(
  { clock }: PrepareDeps,
  tx: Tx,
  scope: Scope,
  line: L,
): Promise<L & Prepared> {
  const domain = await ownDomain(tx, scope, line.address);
  if (!restorableUntil(domain, clock.now())) {
    throw new AppError('unprocessable', { message: `${line.address} cannot be restored` });
  }
  return { ...line, customerId: domain.customer_id, contacts: null, expiryYear: null };
}

async function prepareRenewal<L extends Line>(
  { clock }: PrepareDeps,
  tx: Tx,
  scope: Scope,
  line: L,
): Promise<L & Prepared> {
  const now = clock.now();
  const domain = await ownDomain(tx, scope, line.address);
  const renewable = {
    status: domain.status,
    expiresAt: domain.expires_at,
    restorable: restorableUntil(domain, now) !== null,
    justRenewed: !line.seenExpiry && (await wasRenewed(tx, line.address, justRenewedSince(now))),
  };
  const refusal = renewalRefusal(line, renewable, now);
  if (refusal) {
    const { message, renewed } = refusal;
    throw new AppError('unprocessable', { message, ...(renewed ? { data: { renewed } } : {}) });
  }
  const expiryYear = domain.expires_at?.getUTCFullYear() ?? null;
  return { ...line, customerId: domain.customer_id, contacts: null, expiryYear };
}

async function ownDomain(tx: Tx, scope: Scope, address: string) {
  const domain = await findDomain(tx, scope, address);
  if (!domain) throw new AppError('not_found', { message: `${address} is not in your account` });
  requireHere(domain);
  return domain;
}
