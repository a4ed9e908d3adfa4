import { jobActions } from '#contracts/values/audit-actions.ts';
import { type AuditActor, audit } from '#kernel/audit.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Tx } from '#kernel/db/database.ts';
import { tellManagers } from '#kernel/letters.ts';
import { storeDecline, turnOff } from './auto-topup.repo.ts';
import { afterDecline } from './auto-topup.rules.ts';
import { type AutoTopupNews, autoTopupLetter } from './billing.letters.ts';
import { billingProfile } from './profile.repo.ts';

export interface OutcomeDeps {
  clock: Clock;
  /** Of the portal, for the links in letters. */
  publicUrl: string;
}

/** An automatic charge was refused, at once or days later. Nothing follows where a person has turned auto balance off. */
export async function noteDecline(
  deps: OutcomeDeps,
  tx: Tx,
  organisationId: string,
  decline: { wantsPerson: boolean },
): Promise<void> {
  const before = await billingProfile(tx, organisationId);
  if (!before.auto_topup) return;
  const now = deps.clock.now();
  const after = afterDecline(before, decline, now);
  await storeDecline(tx, organisationId, after);
  await notify(deps, tx, organisationId, after.news);
  await logSwitch(tx, organisationId, { before, enabled: after.enabled, now });
}

/**
 * Money of an automatic top-up went back: disputed, returned or refunded. They do not want the same method charged again, and each
 * dispute costs a fee, so a person decides (decision 287). A dispute that is won does not turn it on again.
 */
export async function noteReversal(deps: OutcomeDeps, tx: Tx, organisationId: string): Promise<void> {
  const before = await billingProfile(tx, organisationId);
  if (!before.auto_topup) return;
  await turnOff(tx, organisationId);
  await notify(deps, tx, organisationId, 'reversed');
  await logSwitch(tx, organisationId, { before, enabled: false, now: deps.clock.now() });
}

/** The job has turned off what a person had turned on. */
async function logSwitch(
  tx: Tx,
  organisationId: string,
  change: { before: Parameters<typeof settingOf>[0]; enabled: boolean; now: Date },
): Promise<void> {
  const { before, enabled, now } = change;
  const parts = changedParts(settingOf(before), settingOf({ ...before, auto_topup: enabled }));
  if (!parts) return;
  const object = { objectKind: 'auto balance', object: organisationId, customerId: null };
  const entry = { at: now, action: 'billing.autoBalance' as const, ...object, ...parts };
  await audit(tx, jobOf(organisationId), entry);
}

export function notify(
  deps: Pick<OutcomeDeps, 'publicUrl'>,
  tx: Tx,
  organisationId: string,
  news: AutoTopupNews,
): Promise<void> {
  const letter = autoTopupLetter(news, deps.publicUrl);
  return tellManagers(tx, { organisationId, notice: `auto-topup-${news}`, letter });
}

/** As the log names the job. */
export function jobOf(organisationId: string): AuditActor {
  const { actor } = jobActions['billing.consider-auto-topup'];
  return { organisationId, userId: null, email: actor, ip: null };
}

/** What the log says of the setting. */
export function settingOf(profile: {
  auto_topup: boolean;
  auto_topup_cents: number;
  auto_topup_mark_cents: number;
}) {
  return {
    enabled: profile.auto_topup,
    amountCents: profile.auto_topup_cents,
    markCents: profile.auto_topup_mark_cents,
  };
}
