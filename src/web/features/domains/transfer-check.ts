import type { TransferCheckReply } from '#contracts/operations/transfers.ts';
import { registrableName, withoutWww } from '#contracts/values/domain-name.ts';
import { transferCheckFailed, withUsAlready } from '#contracts/values/outcome-texts.ts';
import { pastedName } from '#contracts/values/pasted-name.ts';
import { ApiError, somethingWentWrong } from '../../lib/api-error.ts';

/** What a check came to (P2 §4 and §8). */
export type CheckOutcome =
  | { kind: 'transferable' }
  /** It can be moved, by the operator's hand. */
  | { kind: 'support' }
  | { kind: 'refused'; reason: string }
  | { kind: 'check-error'; requestId: string | null }
  | { kind: 'request-error'; message: string; requestId: string | null };

export function outcomeOf(reply: TransferCheckReply): CheckOutcome {
  const { transferrable, reason, reason_code } = reply.domainResponse;
  if (reason_code === withUsAlready) return { kind: 'support' };
  if (transferrable === 1) return { kind: 'transferable' };
  return {
    kind: 'refused',
    reason: (reason ?? 'The registry gave no reason').trim().replace(/\.{1,3}$/, ''),
  };
}

/** The check itself failed, at the registrar; or the request to check did, and nobody was asked. */
export function failureOf(error: Error): CheckOutcome {
  const requestId = (error instanceof ApiError && error.requestId) || null;
  if (error.message === transferCheckFailed) return { kind: 'check-error', requestId };
  const told = error instanceof ApiError && error.message !== somethingWentWrong ? error.message : null;
  return { kind: 'request-error', message: told ?? 'Please try again.', requestId };
}

export type TypedName = { ok: true; domain: string } | { ok: false; message: string };

/** The name as typed, or why it cannot be checked (P2 §5). */
export function nameOf(typed: string): TypedName {
  const name = withoutWww(pastedName(typed));
  if (name === '') return { ok: false, message: 'Please enter a domain name' };
  if (!name.includes('.')) {
    return { ok: false, message: 'Please enter the name with its extension, such as example.com' };
  }
  const parsed = registrableName.safeParse(name);
  if (parsed.success) return { ok: true, domain: parsed.data };
  return { ok: false, message: parsed.error.issues[0]?.message ?? 'This is not a valid domain name' };
}
