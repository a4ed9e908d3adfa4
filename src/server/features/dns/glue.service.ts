import type { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { createGlue, GlueRow, updateGlue } from '#contracts/operations/dns.ts';
import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { shortIpv6 } from '#contracts/values/dns-records.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Lease, Leases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import type { GlueInput, GlueRecord, RegistrarSettings } from '../../ports/registrar.ts';
import {
  concluded,
  fromRegistrar,
  notedIfUnknown,
  requireDomain,
  requireSettings,
  underLease,
} from '../domains/index.ts';

export interface GlueDeps {
  db: Db;
  registrar: Pick<RegistrarSettings, 'glue' | 'createGlue' | 'updateGlue' | 'deleteGlue'>;
  clock: Clock;
  leases: Leases;
}

type NewHost = z.output<(typeof createGlue)['body']>;
type HostChange = z.output<(typeof updateGlue)['body']>;

/** Hosts below a domain, with their addresses at the registry. */
export function createGlueHosts({ db, registrar, clock, leases }: GlueDeps) {
  async function list(scope: Scope, domain: string): Promise<GlueRow[]> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    if (row.status === 'transferring') return [];
    return (await hosts(scope, domain)).map(rowOf);
  }

  function hosts(scope: Scope, domain: string): Promise<GlueRecord[]> {
    return fromRegistrar(() => withFairnessKey(scope.organisationId, () => registrar.glue(domain)));
  }

  async function create(scope: Scope, domain: string, body: NewHost): Promise<SettingResult> {
    const host = withAddress({ name: body.name, ipv4: body.ipaddress ?? null, ipv6: body.ipv6 ?? null });
    requireBelow(domain, 'name', host.name);
    return alone(scope, domain, 'dns.createGlue', { after: host }, async (lease) => {
      const known = (await hosts(scope, domain)).find(({ name }) => name === host.name);
      if (known && !sameAddresses(known, host)) throw existsElsewhere(known);
      const outcome = await underLease(lease, (fence) => registrar.createGlue(domain, host, fence));
      return concluded(outcome, async () => {
        const found = (await registrar.glue(domain)).find(({ name }) => name === host.name);
        return { applied: found !== undefined && sameAddresses(found, host), present: found ?? null };
      });
    });
  }

  /** The registry takes what it is sent as the whole truth: a family that is left out stays as it is there. */
  async function update(scope: Scope, domain: string, body: HostChange): Promise<SettingResult> {
    requireBelow(domain, 'name', body.name);
    const newName = body.new_name && body.new_name !== body.name ? body.new_name : undefined;
    if (newName) requireBelow(domain, 'new_name', newName);
    const change: { before?: GlueRow; after: HostChange } = { after: body };
    return alone(scope, domain, 'dns.updateGlue', change, async (lease) => {
      const before = requireHost(await hosts(scope, domain), body.name);
      change.before = rowOf(before);
      const host = withAddress({
        name: body.name,
        ipv4: body.ipaddress === undefined ? before.ipv4 : body.ipaddress,
        ipv6: body.ipv6 === undefined ? before.ipv6 : body.ipv6,
      });
      const wanted = { ...host, ...(newName ? { newName } : {}) };
      const outcome = await underLease(lease, (fence) => registrar.updateGlue(domain, wanted, fence));
      return concluded(outcome, async () => {
        const found = (await registrar.glue(domain)).find(({ name }) => name === (newName ?? host.name));
        return { applied: found !== undefined && sameAddresses(found, host), present: found ?? null };
      });
    });
  }

  async function remove(scope: Scope, domain: string, name: string): Promise<SettingResult> {
    const change: { before: Partial<GlueRow> } = { before: { name } };
    return alone(scope, domain, 'dns.deleteGlue', change, async (lease) => {
      const host = requireHost(await hosts(scope, domain), name);
      change.before = rowOf(host);
      if (!host.canDelete) {
        throw new AppError('unprocessable', {
          message: `${name} serves a domain. Please remove it from that domain's nameservers first.`,
        });
      }
      const outcome = await underLease(lease, (fence) => registrar.deleteGlue(domain, host, fence));
      return concluded(outcome, async () => {
        const found = (await registrar.glue(domain)).find((other) => other.name === name);
        return { applied: found === undefined, present: found ?? null };
      });
    });
  }

  /** One change at a time, so that each sees what the one before left. */
  async function alone(
    scope: Scope,
    domain: string,
    action: AuditAction,
    change: { before?: unknown; after?: unknown },
    work: (lease: Lease) => Promise<{ kind: 'applied' } | { kind: 'later'; text: string }>,
  ): Promise<SettingResult> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireSettings(scope, row);
    const end = await notedIfUnknown({ db, clock }, scope, { row, action, change }, () =>
      leases.run(scope, `hosts of ${domain}`, (lease) =>
        withFairnessKey(scope.organisationId, () => work(lease)),
      ),
    );
    await inTransaction(db, scope, (tx) =>
      audit(tx, scope, {
        at: clock.now(),
        action,
        ...{ objectKind: 'domain', object: row.address, customerId: row.customer_id },
        ...change,
      }),
    );
    return { domain, notice: end.kind === 'later' ? end.text : null };
  }

  return { list, create, update, remove };
}

function rowOf({ name, ipv4, ipv6, canDelete }: GlueRecord): GlueRow {
  return { name, ipaddress: ipv4, ipv6, can_delete: canDelete ? 1 : 0 };
}

function requireHost(found: readonly GlueRecord[], name: string): GlueRecord {
  const host = found.find((each) => each.name === name);
  if (!host) throw new AppError('not_found');
  return host;
}

function withAddress(host: GlueInput): GlueInput {
  if (host.ipv4 || host.ipv6) return host;
  const message = 'A nameserver needs an IP address';
  throw new AppError('validation_failed', { details: [{ path: 'ipaddress', message }] });
}

/** The addresses that people typed were not saved: the host keeps the ones it has. */
function existsElsewhere(known: GlueRecord): AppError {
  const addresses = [known.ipv4, known.ipv6].filter((address) => address !== null).join(', ');
  const message = `${known.name} already exists with the address ${addresses}. Edit it to change the address.`;
  return new AppError('already_exists', { message, details: [{ path: 'name', message }] });
}

function requireBelow(domain: string, path: string, name: string): void {
  if (name.endsWith(`.${domain}`)) return;
  const message = `Please enter a name that ends in .${domain}`;
  throw new AppError('validation_failed', { details: [{ path, message }] });
}

/** However the registry writes them. */
function sameAddresses(a: GlueInput, b: GlueInput): boolean {
  return a.ipv4 === b.ipv4 && shortIpv6(a.ipv6 ?? '') === shortIpv6(b.ipv6 ?? '');
}
