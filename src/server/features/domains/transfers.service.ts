import { AppError } from '#contracts/errors.ts';
import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import type { TransferCheckReply, TransferStatusReply } from '#contracts/operations/transfers.ts';
import { transferCheckFailed } from '#contracts/values/outcome-texts.ts';
import { audit } from '#kernel/audit.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Leases } from '#kernel/leases.ts';
import { holds, type Scope } from '#kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarOrders } from '../../ports/registrar.ts';
import type { ZoneSource } from '../../ports/zone-source.ts';
import { concluded, underLease } from './outcome.ts';
import { findDomain } from './settings.repo.ts';
import type { TransferTimes } from './transfer-steps.rules.ts';
import { findTransfer, seekEnd } from './transfers.repo.ts';
import { checkOfOthers, checkOfOwn, dnsOfCheck, isOpen, shownTransfer } from './transfers.rules.ts';
import { createFollowing, type FollowingDeps } from './transfers-following.ts';
import { notedIfUnknown } from './unknown-outcome.ts';

export interface TransfersDeps extends FollowingDeps {
  db: Db;
  registrar: FollowingDeps['registrar'] & Pick<RegistrarOrders, 'checkTransfer' | 'cancelTransfer' | 'order'>;
  zoneSource: Pick<ZoneSource, 'ask'>;
  transferTimes: TransferTimes;
  leases: Leases;
}

/** Transfers to us, apart from their order and their money: the check, the states in between, and what comes after. */
export function createTransfers(deps: TransfersDeps) {
  const { db, registrar, resolver, clock } = deps;
  const { refresh, tasks } = createFollowing(deps);

  async function check(scope: Scope, domain: string): Promise<TransferCheckReply> {
    const ours = await inReading(db, scope, (tx) => findDomain(tx, scope, domain));
    const [domainResponse, delegation, ds] = await Promise.all([
      // What has left the account can come back.
      ours && !ours.missing_since ? checkOfOwn(domain, ours.status) : ask(scope, domain),
      answered(resolver.nameservers(domain)),
      answered(deps.zoneSource.ask(domain, 'DS')),
    ]);
    return { domainResponse, dnsRecords: dnsOfCheck(delegation, ds) };
  }

  async function ask(scope: Scope, domain: string): Promise<TransferCheckReply['domainResponse']> {
    try {
      const can = await withFairnessKey(scope.organisationId, () => registrar.checkTransfer(domain));
      const verdict = checkOfOthers(can);
      if (!verdict) throw new UpstreamUnavailable('registrar: the registry could not be asked');
      return verdict;
    } catch (error) {
      if (error instanceof UpstreamUnavailable) {
        throw new AppError('upstream_unavailable', { message: transferCheckFailed, cause: error });
      }
      if (error instanceof UpstreamRefused) {
        throw new AppError('registrar_refused', {
          message: error.message,
          error: error.code,
          cause: error,
        });
      }
      throw error;
    }
  }

  async function status(scope: Scope, domain: string): Promise<TransferStatusReply> {
    const find = () => inReading(db, scope, (tx) => findTransfer(tx, scope, domain));
    const before = await find();
    if (!before) throw new AppError('not_found');
    if (isOpen(before)) await refresh(before);
    const row = (isOpen(before) && (await find())) || before;
    // A customer's own users see no prices.
    const seesPrices = holds(scope, 'balance.read');
    return shownTransfer(row, { times: deps.transferTimes, now: clock.now(), seesPrices });
  }

  async function cancel(scope: Scope, domain: string): Promise<SettingResult> {
    const row = await inReading(db, scope, (tx) => findTransfer(tx, scope, domain));
    if (!row) throw new AppError('not_found');
    const orderId = row.registrar_order_id;
    if (!isOpen(row) || !orderId) {
      throw new AppError('unprocessable', { message: 'This transfer is no longer under way.' });
    }
    const outcome = await deps.leases.run(scope, `transfer of ${domain}`, (lease) =>
      withFairnessKey(scope.organisationId, () =>
        underLease(lease, (fence) => registrar.cancelTransfer(orderId, fence)),
      ),
    );
    const change = { before: { status: row.registrar_status }, after: { status: 'cancelled' } };
    const follow = (tx: Tx) => seekEnd(tx, row);
    const end = await notedIfUnknown(
      { db, clock },
      scope,
      { row, action: 'transfers.cancel', change, follow },
      () =>
        concluded(outcome, async () => {
          const order = await registrar.order(orderId);
          return { applied: order?.state === 'cancelled', present: order && { state: order.state } };
        }),
    );
    await inTransaction(db, scope, async (tx) => {
      await follow(tx);
      const object = { objectKind: 'domain', object: row.address, customerId: row.customer_id };
      await audit(tx, scope, { at: clock.now(), action: 'transfers.cancel', ...object, ...change });
    });
    return { domain, notice: end.kind === 'later' ? end.text : null };
  }

  return { check, status, cancel, tasks };
}

/** null: nobody answered. */
async function answered<T>(question: Promise<T>): Promise<T | null> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return null;
    throw error;
  }
}
