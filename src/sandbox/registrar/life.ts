import { finishRegistration } from './commands/register.ts';
import { finishRenewal, fulfilRenewal } from './commands/renew.ts';
import { runCommand } from './commands/run.ts';
import { finishTransferOrder } from './commands/transfer-in.ts';
import { DAY_MS, stamp } from './format.ts';
import { canPay, emit } from './state/account.ts';
import { deleteDomain } from './state/deletion.ts';
import { type Domain, findDomains, removeDomain, updateDomain } from './state/domains.ts';
import { findOrder, placeOrder } from './state/orders.ts';
import { priceCents } from './state/prices.ts';
import { type DueTimer, dueTimers, removeTimer } from './state/timers.ts';
import { findTransfers, stepTransfer } from './state/transfers.ts';
import { deadlineOf, setVerification } from './state/verification.ts';
import type { World } from './world.ts';
import { mapOf, textOf, type XcpRequest } from './xcp.ts';

/** Lets everything happen that is due by now: asynchronous orders, transfers, expiry, verification. */
export function sweep(world: World): void {
  for (const timer of dueTimers(world)) runTimer(world, timer);
  const transfers = findTransfers(world, `step_at <= ?`, world.now());
  for (const transfer of transfers) world.sql.transaction(() => stepTransfer(world, transfer));
  sweepExpiry(world);
  sweepVerification(world);
}

function runTimer(world: World, timer: DueTimer): void {
  world.sql.transaction(() => {
    removeTimer(world, timer.id);
    if (timer.kind === 'late-command') {
      runCommand(world, JSON.parse(timer.payload) as XcpRequest);
      return;
    }
    finishOrderById(world, (JSON.parse(timer.payload) as { orderId: string }).orderId);
  });
}

/** Ends an order that an asynchronous registry has been working on. */
export function finishOrderById(world: World, orderId: string): void {
  const order = findOrder(world, orderId);
  if (order?.status !== 'processing') return;
  if (order.regType === 'renewal') finishRenewal(world, order);
  else if (order.regType === 'transfer') finishTransferOrder(world, order);
  else finishRegistration(world, order);
}

function sweepExpiry(world: World): void {
  const now = world.now();
  for (const domain of findDomains(world, `state = 'active' AND expires_at <= ?`, now)) {
    world.sql.transaction(() => expire(world, domain));
  }
  const { graceDays, redemptionDays, pendingDeleteDays } = world.knobs();
  const graceEnd = now - graceDays * DAY_MS;
  for (const domain of findDomains(world, `state = 'grace' AND expires_at <= ?`, graceEnd)) {
    world.sql.transaction(() => deleteDomain(world, domain, 'Expired'));
  }
  const gone = now - (redemptionDays + pendingDeleteDays) * DAY_MS;
  for (const domain of findDomains(world, `state = 'redemption' AND updated_at <= ?`, gone)) {
    world.sql.transaction(() => removeDomain(world, domain.domain));
  }
}

/** The registrar's own switch: it renews and charges the reseller, where the portal has not done so before. */
function expire(world: World, domain: Domain): void {
  const costCents = priceCents(world, domain.domain, 'renewal', 1) ?? 0;
  const renews = world.knobs().autoRenew && domain.autoRenew && !domain.letExpire;
  if (renews && canPay(world, costCents)) {
    const attributes = { currentexpirationyear: stamp(domain.expiresAt).slice(0, 4), auto_renew: '1' };
    const order = { domain: domain.domain, regType: 'renewal', period: 1, costCents, attributes } as const;
    fulfilRenewal(world, placeOrder(world, { ...order, status: 'completed' }));
    return;
  }
  updateDomain(world, domain, { state: 'grace' });
  emit(world, 'DOMAIN', 'EXPIRED', {
    domain_name: domain.domain,
    domain_id: domain.domainId,
    expiration_date: new Date(domain.expiresAt).toISOString(),
  });
}

function sweepVerification(world: World): void {
  const now = world.now();
  const asked = findDomains(
    world,
    `verification = 'verifying' AND verification_at <= ?`,
    now - world.knobs().verifyMs,
  );
  for (const domain of asked) {
    const late = deadlineOf(domain) <= now;
    // Owners whose address says so never click.
    const clicks = !/unverified|bounce/.test(textOf(mapOf(domain.contacts, 'owner'), 'email'));
    if (clicks) setVerification(world, domain, 'verified');
    else if (late) setVerification(world, domain, 'suspended');
  }
}
