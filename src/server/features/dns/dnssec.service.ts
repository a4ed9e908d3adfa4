import type { DnssecState } from '#contracts/operations/dns.ts';
import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Leases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import type { DsRecord, RegistrarSettings } from '../../ports/registrar.ts';
import {
  concluded,
  fromRegistrar,
  notedIfUnknown,
  requireDomain,
  requireSettings,
  underLease,
} from '../domains/index.ts';

export interface DnssecDeps {
  db: Db;
  registrar: Pick<RegistrarSettings, 'dsRecords' | 'removeDsRecords'>;
  clock: Clock;
  leases: Leases;
}

/** DS records at the registry: left behind, they make a domain unreachable as soon as its DNS moves. */
export function createDnssec({ db, registrar, clock, leases }: DnssecDeps) {
  const records = (scope: Scope, domain: string): Promise<DsRecord[]> =>
    fromRegistrar(() => withFairnessKey(scope.organisationId, () => registrar.dsRecords(domain)));

  async function read(scope: Scope, domain: string): Promise<DnssecState> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    // Another registrar has it still.
    if (row.status === 'transferring') return { records: [] };
    return { records: await records(scope, row.address) };
  }

  async function remove(scope: Scope, domain: string): Promise<SettingResult> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireSettings(scope, row);
    const before = await records(scope, row.address);
    if (before.length === 0) return { domain: row.address, notice: null };
    const outcome = await leases.run(scope, row.address, (lease) =>
      withFairnessKey(scope.organisationId, () =>
        underLease(lease, (fence) => registrar.removeDsRecords(row.address, fence)),
      ),
    );
    const action = 'dns.removeDnssec';
    const change = { before: { records: before } };
    const end = await notedIfUnknown({ db, clock }, scope, { row, action, change }, () =>
      concluded(outcome, async () => {
        const left = await registrar.dsRecords(row.address);
        return { applied: left.length === 0, present: { records: left } };
      }),
    );
    await inTransaction(db, scope, (tx) =>
      audit(tx, scope, {
        ...{ at: clock.now(), action, objectKind: 'domain', object: row.address },
        ...{ customerId: row.customer_id, ...change },
      }),
    );
    return { domain: row.address, notice: end.kind === 'later' ? end.text : null };
  }

  return { read, remove };
}
