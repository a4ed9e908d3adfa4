import { DAY_MS } from '../format.ts';
import type { World } from '../world.ts';
import { emit } from './account.ts';
import type { Domain } from './domains.ts';
import { markVerified } from './provision.ts';

/** A registrant has 15 days to click the link (checked 2026-11-21). */
const VERIFY_DAYS = 15;

export const MAIL_FROM = 'noreply@registrar.example';

export function deadlineOf(domain: Domain): number {
  return domain.verificationAt + VERIFY_DAYS * DAY_MS;
}

/** `daysLeft`: the deadline is so many days away; left out, it stays. */
export function setVerification(world: World, domain: Domain, status: string, daysLeft?: number): void {
  const askedAt =
    daysLeft === undefined ? domain.verificationAt : world.now() - (VERIFY_DAYS - daysLeft) * DAY_MS;
  world.sql.transaction(() => {
    world.sql.run(
      'UPDATE registrar_domains SET verification = ?, verification_at = ? WHERE domain = ?',
      status,
      Math.round(askedAt),
      domain.domain,
    );
    if (status === 'verified') markVerified(world, domain.contacts);
    emit(world, 'DOMAIN', 'REGISTRANT_VERIFICATION_STATUS_CHANGE', {
      domain_name: domain.domain,
      verification_status: status,
    });
  });
}
