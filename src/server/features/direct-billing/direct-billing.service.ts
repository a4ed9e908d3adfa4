import { AppError } from '#contracts/errors.ts';
import type { DirectCharge, ReleaseBody } from '#contracts/operations/direct-billing.ts';
import { moneyText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { audit } from '#kernel/audit.ts';
import { inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { JobPayload, Jobs } from '#kernel/job-table.ts';
import type { Scope } from '#kernel/scope.ts';
import { type ChargeQuery, listCharges } from './charge-list.repo.ts';
import { type Charge, changeCharge, chargeAt, dueNow, isStopped, lockCharge } from './charges.repo.ts';
import { disputedAt, stopsCharges } from './charges.rules.ts';
import { createCharges } from './charges.ts';
import { createConnections } from './connections.ts';
import type { DirectBillingDeps } from './deps.ts';
import { refundsDue } from './refunds.repo.ts';
import { createRefunds } from './refunds.ts';
import { createSetupLinks } from './setup-links.ts';

/** What an event of a connected account is about, in the webhook's words. */
export interface ConnectedEvent {
  type: string;
  objectId: string | null;
  customerId: string | null;
  paymentMethodId: string | null;
}

export type DirectBillingApi = ReturnType<typeof createDirectBilling>;

/** Direct billing (decisions no. 24): end customers pay the MSP's payment account by their own method. */
export function createDirectBilling(deps: DirectBillingDeps) {
  const { db, clock } = deps;
  const connections = createConnections(deps);
  const links = createSetupLinks(deps, connections);
  const charges = createCharges(deps, links);
  const refunds = createRefunds(deps, charges);

  /** News of a connected account: whatever it names is read again. */
  async function onEvent(accountId: string, event: ConnectedEvent): Promise<void> {
    const { objectId } = event;
    if (objectId && /^(pi|py)_/.test(objectId)) return refunds.refreshPayment(accountId, objectId);
    if (objectId && event.type.startsWith('mandate.')) return connections.refreshMandate(accountId, objectId);
    await connections.refreshNamed(event);
  }

  function list(scope: Scope, query: ChargeQuery): Promise<{ rows: DirectCharge[]; total: number }> {
    return inReading(db, scope, (tx) => listCharges(tx, scope, query));
  }

  /** A person wants the receivable tried now. */
  function retry(scope: Scope, id: string): Promise<DirectCharge> {
    return change(scope, id, 'retry', null, async (tx, charge) => {
      if (await isStopped(tx, charge.customer_id)) {
        const message = 'This customer disputed a payment. Allow charges again before you try this one.';
        throw new AppError('unprocessable', { message });
      }
      const now = clock.now();
      await changeCharge(tx, id, { next_try_at: now });
      await chargeAt(tx, { id, organisationId: scope.organisationId }, now);
    });
  }

  /** A person says that it was paid otherwise, or is given up: no further try. */
  function settle(scope: Scope, id: string, note: string): Promise<DirectCharge> {
    return change(scope, id, 'settle', note, async (tx) => {
      await changeCharge(tx, id, { state: 'waived', note, next_try_at: null, updated_at: clock.now() });
      await refundsDue(tx, { id, organisation_id: scope.organisationId }, clock.now());
    });
  }

  /** A person says that this dispute stops no further charges: those of the customer that wait for that are tried now. */
  async function release(scope: Scope, id: string, seen: ReleaseBody): Promise<DirectCharge> {
    return inTransaction(db, scope, async (tx) => {
      const charge = await lockedOf(tx, scope, id);
      if (!stopsCharges(charge)) {
        throw new AppError('unprocessable', {
          message: 'No dispute of this payment stops charges any more.',
        });
      }
      const { disputed_cents: cents, customer_id: customerId } = charge;
      if (usdToCents(seen.disputed) !== cents) {
        const message = `The disputed amount is ${moneyText(cents)} now. Please look at it again before you allow charges.`;
        throw new AppError('conflict', { message });
      }
      if (seen.disputedAt !== (disputedAt(charge)?.toISOString() ?? null)) {
        const message =
          'Another dispute of this payment has begun since. Please look at it before you allow charges.';
        throw new AppError('conflict', { message });
      }
      await changeCharge(tx, id, { dispute_released_cents: cents, updated_at: clock.now() });
      await audit(tx, scope, {
        ...{ at: clock.now(), action: 'direct.release', objectKind: 'direct-charge', object: id, customerId },
        after: { disputedCents: cents },
      });
      await dueNow(tx, customerId, clock.now());
      return rowOf(tx, scope, id);
    });
  }

  async function change(
    scope: Scope,
    id: string,
    act: 'retry' | 'settle',
    note: string | null,
    write: (tx: Tx, charge: Charge) => Promise<void>,
  ): Promise<DirectCharge> {
    return inTransaction(db, scope, async (tx) => {
      const charge = await lockedOf(tx, scope, id);
      if (charge.state !== 'failed') {
        throw new AppError('unprocessable', { message: 'This charge is no longer open.' });
      }
      await write(tx, charge);
      await audit(tx, scope, {
        at: clock.now(),
        action: `direct.${act}`,
        objectKind: 'direct-charge',
        object: id,
        customerId: charge.customer_id,
        before: { state: charge.state, cents: charge.cents },
        after: act === 'retry' ? { state: 'sending' } : { state: 'waived', note },
      });
      return rowOf(tx, scope, id);
    });
  }

  const tasks = {
    'orders.after-success': ({ organisationId, itemId }: JobPayload<'orders.after-success'>) =>
      charges.collect(organisationId, itemId),
    'orders.after-refund': refunds.want,
    'direct-billing.refund': refunds.run,
    'direct-billing.charge': charges.run,
    'direct-billing.connect': connections.connect,
    'direct-billing.connect-all': connections.connectAll,
    'direct-billing.sweep': async () => {
      await charges.sweep();
      await refunds.sweep();
    },
    'direct-billing.sweep-methods': connections.sweep,
  } satisfies Partial<Jobs>;

  return { connect: connections.connect, links, charges, onEvent, list, retry, settle, release, tasks };
}

async function lockedOf(tx: Tx, scope: Scope, id: string): Promise<Charge> {
  const charge = await lockCharge(tx, id);
  if (!charge || charge.organisation_id !== scope.organisationId) throw new AppError('not_found');
  return charge;
}

async function rowOf(tx: Tx, scope: Scope, id: string): Promise<DirectCharge> {
  const [row] = (await listCharges(tx, scope, { pageSize: 1, chargeId: id })).rows;
  if (!row) throw new AppError('not_found');
  return row;
}
