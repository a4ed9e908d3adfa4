import { systemClock } from '#kernel/clock.ts';
import type { Jobs } from '#kernel/job-table.ts';
import { createSeal } from '#kernel/seal.ts';
import type { Features, Ground } from './compose.ts';
import type { Adapters } from './compose-adapters.ts';
import { type CommonJob, createTasks } from './jobs/tasks.ts';

/** Every job by name, with the feature that does it. */
export function jobsOf(
  { config, systemDb, logger }: Ground,
  adapters: Pick<Adapters, 'mail'>,
  features: Features,
) {
  return createTasks({
    ...{ systemDb, logger, mail: adapters.mail, seal: createSeal(config.sealKeys), clock: systemClock },
    ...{ orders: features.orders, billing: features.billing, operatorEmail: config.operatorEmail },
    managersOf: features.users.managersOf,
    brandOf: features.logo.brandOf,
    more: {
      ...features.users.tasks,
      ...features.audit.tasks,
      ...features.domains.tasks,
      ...features.dns.tasks,
      ...features.renewals.tasks,
      ...features.directBilling.tasks,
      ...features.operator.tasks,
      ...features.certificates.tasks,
      ...features.orders.tasks,
      ...features.acme.tasks,
      ...features.attention.tasks,
      ...features.changes.tasks,
      ...features.health.tasks,
      ...features.moves.tasks,
      ...features.privacy.tasks,
      ...features.registrarWatch.tasks,
      ...features.imports.tasks,
    } satisfies Omit<Jobs, CommonJob>,
  });
}
