import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { Registrar, RegistrarZone, ZoneRecords } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { integer } from '../fields.ts';
import { type Gateway, pendingOf, plain } from '../gateway.ts';
import type { Reply } from '../parse.ts';
import { flag, map, maps, text, type XcpAttributes, type XcpMap } from '../xcp.ts';

export type ZoneCommands = Pick<Registrar, 'zone' | 'createZone' | 'replaceZone' | 'deleteZone'>;

/** Zones on the registrar's DNS hosts (§14). A write replaces the whole record set. */
export function zoneCommands(gateway: Gateway): ZoneCommands {
  async function zone(domain: string): Promise<RegistrarZone | null> {
    try {
      return zoneOf(await gateway.read(commands.zone, { domain }));
    } catch (error) {
      if (error instanceof UpstreamRefused && error.reason === 'not-found') return null;
      throw error;
    }
  }

  return {
    zone,

    async createZone(domain, fence) {
      const outcome = await gateway.act<RegistrarZone>(
        { command: commands.createZone, fence, domain, attributes: () => ({ domain }) },
        (reply, meaning) => (meaning === 'pending' ? pendingOf(reply) : doneWith(() => zoneOf(reply))),
      );
      if (outcome.kind !== 'refused' || outcome.reason !== 'already-done') return outcome;
      // There is one already, which is what was wanted.
      try {
        const there = await zone(domain);
        return there ? { kind: 'done', value: there } : outcome;
      } catch (error) {
        if (error instanceof UpstreamRefused) return outcome;
        if (error instanceof UpstreamUnavailable) return { kind: 'unknown', text: error.message };
        throw error;
      }
    },

    replaceZone: (domain, records, fence) =>
      gateway.act<RegistrarZone>(
        {
          command: commands.setZone,
          fence,
          domain,
          attributes: () => ({ domain, records: toWire(records) }),
        },
        (reply, meaning) => {
          if (meaning === 'pending') return pendingOf(reply);
          return doneWith(() => {
            const zone = zoneOf(reply);
            // "No change" comes without the records.
            return { ...zone, records: zone.records ?? records };
          });
        },
      ),

    deleteZone: (domain, fence) =>
      gateway.act({ command: commands.deleteZone, fence, domain, attributes: () => ({ domain }) }, plain),
  };
}

/** Throws `UpstreamUnavailable` for records that cannot be read. */
function zoneOf(reply: Reply): RegistrarZone {
  const records = map(reply.attributes, 'records');
  return {
    records: records ? fromWire(records) : null,
    delegated: flag(reply.attributes, 'nameservers_ok'),
  };
}

/** What an answer to a write shows; where it cannot be read nobody knows what is there now. */
function doneWith(read: () => RegistrarZone): Outcome<RegistrarZone> {
  try {
    return { kind: 'done', value: read() };
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return { kind: 'unknown', text: error.message };
    throw error;
  }
}

/** A type without records is left out; an empty subdomain is sent as such, it is the apex (§14). */
function toWire(records: ZoneRecords): XcpAttributes {
  const wire: XcpAttributes = {};
  const types: [string, object[]][] = Object.entries(records);
  for (const [type, rows] of types) {
    if (rows.length === 0) continue;
    wire[type] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)])),
    );
  }
  return wire;
}

function fromWire(records: XcpMap): ZoneRecords {
  const subdomain = (row: XcpMap) => {
    const name = (text(row, 'subdomain') ?? '').toLowerCase();
    return name === '@' ? '' : name;
  };
  // Kept to the letter: blanks at its ends are part of a TXT record.
  const exact = (row: XcpMap, key: string) => (typeof row[key] === 'string' ? row[key] : '');
  const word = (row: XcpMap, key: string) => text(row, key) ?? '';
  const rows = <T extends object>(type: keyof ZoneRecords, read: (row: XcpMap) => T) =>
    maps(records, type).map((row) => ({ subdomain: subdomain(row), ...read(row) }));
  return {
    A: rows('A', (row) => ({ ip_address: word(row, 'ip_address') })),
    AAAA: rows('AAAA', (row) => ({ ipv6_address: word(row, 'ipv6_address') })),
    CNAME: rows('CNAME', (row) => ({ hostname: word(row, 'hostname') })),
    MX: rows('MX', (row) => ({ hostname: word(row, 'hostname'), priority: numberOf('MX', row, 'priority') })),
    TXT: rows('TXT', (row) => ({ text: exact(row, 'text') })),
    SRV: rows('SRV', (row) => ({
      hostname: word(row, 'hostname'),
      priority: numberOf('SRV', row, 'priority'),
      weight: numberOf('SRV', row, 'weight'),
      port: numberOf('SRV', row, 'port'),
    })),
  };
}

/** Read as 0 it would be written back as 0 by the next change of another record, and mail or calls would go elsewhere. */
function numberOf(type: keyof ZoneRecords, row: XcpMap, key: string): number {
  const value = integer(row, key);
  if (value === null) throw new UpstreamUnavailable(`registrar: a record of type ${type} without ${key}`);
  return value;
}
