import type { AuditEntry } from '#kernel/audit.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { turnOff } from './auto-topup.repo.ts';
import { settingOf } from './auto-topup-outcome.ts';
import { lockedProfile } from './profile.repo.ts';

/** The organisation ends: no money is drawn for it any more. In the transaction of the caller, who logs it. */
export async function endAutoBalance(tx: Tx, scope: Scope, now: Date): Promise<AuditEntry[]> {
  const { organisationId } = scope;
  const before = await lockedProfile(tx, organisationId);
  const parts = changedParts(settingOf(before), settingOf({ ...before, auto_topup: false }));
  if (!parts) return [];
  await turnOff(tx, organisationId);
  const object = { objectKind: 'auto balance', object: organisationId, customerId: null };
  return [{ at: now, action: 'billing.autoBalance', ...object, ...parts }];
}
