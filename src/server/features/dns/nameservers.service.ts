import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import { audit } from '#kernel/audit.ts';
import { inReading, inTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Scope } from '#kernel/scope.ts';
import type { RegistrarSettings, RegistrarZones } from '../../ports/registrar.ts';
import {
  concluded,
  enqueueSync,
  notedIfUnknown,
  recordSettings,
  requireDomain,
  requireMovable,
  requireSettings,
  underLease,
} from '../domains/index.ts';
import { createGlueHosts, type GlueDeps } from './glue.service.ts';

export interface NameserversDeps extends GlueDeps {
  registrar: GlueDeps['registrar'] &
    Pick<RegistrarSettings, 'dsRecords'> &
    Pick<RegistrarZones, 'zone' | 'createZone' | 'useRegistrarNameservers'>;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
}

/** Delegation to the managed DNS, and hosts below a domain (glue). */
export function createNameservers(deps: NameserversDeps) {
  const { db, registrar, clock, leases } = deps;

  /** P2 §4: switching to managed forces the provider's nameservers. They need a zone to serve. */
  async function force(scope: Scope, domain: string, dnssecConfirmed?: boolean): Promise<SettingResult> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireSettings(scope, row);
    await requireMovable(registrar, scope, domain, dnssecConfirmed);
    return leases.run(scope, domain, (lease) =>
      withFairnessKey(scope.organisationId, async () => {
        const created = await underLease(lease, (fence) => registrar.createZone(domain, fence));
        await concluded(created, async () => {
          const zone = await registrar.zone(domain);
          return { applied: zone !== null, present: null };
        });
        const nameservers = [...deps.nameservers];
        const after = { nameservers, ...(dnssecConfirmed ? { dnssecConfirmed } : {}) };
        const action = 'dns.forceNameservers';
        const change = { before: { nameservers: row.nameservers }, after };
        const end = await notedIfUnknown({ db, clock }, scope, { row, action, change }, async () => {
          const forced = await underLease(lease, (fence) => registrar.useRegistrarNameservers(domain, fence));
          return concluded(forced, async () => {
            const zone = await registrar.zone(domain);
            return { applied: zone?.delegated === true, present: { managed: zone?.delegated === true } };
          });
        });
        await inTransaction(db, scope, async (tx) => {
          const where = { organisationId: scope.organisationId, address: domain };
          if (end.kind === 'applied') await recordSettings(tx, where, { nameservers });
          await enqueueSync(tx, where);
          await audit(tx, scope, {
            at: clock.now(),
            action,
            ...{ objectKind: 'domain', object: row.address, customerId: row.customer_id },
            ...change,
          });
        });
        return { domain, notice: end.kind === 'later' ? end.text : null };
      }),
    );
  }

  return { force, ...createGlueHosts(deps) };
}
