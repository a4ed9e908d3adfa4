import { askAgainSeconds, windowOf } from '#contracts/values/renewal-window.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import { shareOf } from '../certificates/index.ts';
import { orderOfIssue } from './orders.repo.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

/** When a certificate is best renewed (RFC 9773). */
export function createRenewalInfo({ systemDb, clock }: { systemDb: Db; clock: Clock }) {
  /** RFC 9773 4.2: nothing is written, however many ask. */
  async function renewalInfo(issuedId: string): Promise<AcmeReply> {
    const found = /^[\w-]{1,100}\.[\w-]{1,100}$/.test(issuedId)
      ? await orderOfIssue(systemDb, issuedId)
      : undefined;
    if (!found?.valid_from || !found.valid_to) {
      throw new AcmeProblem('malformed', 'This certificate was not issued here.', { status: 404 });
    }
    const now = clock.now();
    const { valid_from: validFrom, valid_to: validTo, revoked } = found;
    const window = windowOf({ share: shareOf(issuedId), validFrom, validTo, revoked }, now);
    return {
      status: 200,
      headers: { 'retry-after': String(askAgainSeconds(window, now)) },
      json: { suggestedWindow: { start: window.start.toISOString(), end: window.end.toISOString() } },
    };
  }

  return renewalInfo;
}
