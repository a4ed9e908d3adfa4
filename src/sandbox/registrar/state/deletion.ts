import { DAY_MS } from '../format.ts';
import type { World } from '../world.ts';
import { emit } from './account.ts';
import { type Domain, removeDomain, updateDomain } from './domains.ts';

/** Deletion at the registry. Within the add grace the name is free at once, later it can be redeemed for a time. */
export function deleteDomain(world: World, domain: Domain, reason: string, atOnce = false): void {
  const now = world.now();
  if (atOnce) removeDomain(world, domain.domain);
  else updateDomain(world, domain, { state: 'redemption' });
  world.sql.run(
    'INSERT INTO registrar_deleted (domain, deleted_at, expired_at, reason) VALUES (?, ?, ?, ?)',
    domain.domain,
    now,
    domain.expiresAt,
    reason,
  );
  const end = now + (atOnce ? 0 : world.knobs().redemptionDays * DAY_MS);
  emit(world, 'DOMAIN', 'DELETED', {
    domain_name: domain.domain,
    domain_id: domain.domainId,
    reason,
    deletion_date: new Date(now).toISOString(),
    redemption_grace_period_end_date: new Date(end).toISOString(),
  });
}
