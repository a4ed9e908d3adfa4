import type { PanelTable } from '../part.ts';
import { balanceText, stamp } from './format.ts';
import { readAccount } from './state/account.ts';
import { findDomains } from './state/domains.ts';
import { findOrders } from './state/orders.ts';
import { findTransfers } from './state/transfers.ts';
import { trustView } from './trust/control.ts';
import type { World } from './world.ts';

const ROWS = 200;

/** What the registrar holds, without auth codes and passwords. */
export function registrarView(world: World): PanelTable[] {
  const { balanceCents, holdCents } = readAccount(world);
  const zones = world.sql.all<{ domain: string; records: string }>(
    `SELECT domain, records FROM registrar_zones ORDER BY domain LIMIT ${ROWS}`,
  );
  const log = world.sql.all<{
    at: number;
    action: string;
    object: string;
    domain: string;
    code: number;
    fault: string;
  }>(`SELECT * FROM registrar_log ORDER BY sequence DESC LIMIT 50`);
  return [
    {
      title: 'Reseller account',
      columns: ['Balance', 'On hold', 'Available'],
      rows: [[balanceText(balanceCents), balanceText(holdCents), balanceText(balanceCents - holdCents)]],
    },
    {
      title: 'Domains',
      columns: ['Domain', 'State', 'Expires', 'Locked', 'Auto renew', 'Nameservers', 'Registrant', 'Tag'],
      rows: findDomains(world, `1 ORDER BY domain LIMIT ${ROWS}`).map((domain) => [
        domain.domain,
        domain.state,
        stamp(domain.expiresAt),
        domain.locked ? 'yes' : 'no',
        domain.autoRenew ? 'yes' : 'no',
        domain.nameservers.join(' '),
        domain.verification,
        domain.affiliateId,
      ]),
    },
    {
      title: 'Orders',
      columns: ['Order', 'Domain', 'Type', 'Status', 'Years', 'Cost', 'Ordered', 'Tag'],
      rows: findOrders(world, '1')
        .slice(0, ROWS)
        .map((order) => [
          String(order.id),
          order.domain,
          order.regType,
          order.status,
          String(order.period),
          balanceText(order.costCents),
          stamp(order.orderedAt),
          order.affiliateId,
        ]),
    },
    ...trustView(world),
    {
      title: 'Transfers',
      columns: ['Transfer', 'Domain', 'Direction', 'Status', 'Other registrar', 'Requested'],
      rows: findTransfers(world, '1')
        .slice(0, ROWS)
        .map((transfer) => [
          String(transfer.id),
          transfer.domain,
          transfer.direction,
          transfer.status,
          transfer.otherRegistrar,
          stamp(transfer.requestedAt),
        ]),
    },
    {
      title: 'DNS zones',
      columns: ['Domain', 'Records'],
      rows: zones.map((zone) => [zone.domain, recordCounts(zone.records)]),
    },
    {
      title: 'Last commands',
      columns: ['At', 'Command', 'Domain', 'Code', 'Fault'],
      rows: log.map((row) => [
        stamp(row.at),
        `${row.action} ${row.object}`,
        row.domain,
        row.code === 0 ? 'none' : String(row.code),
        row.fault,
      ]),
    },
  ];
}

function recordCounts(records: string): string {
  const byType = JSON.parse(records) as Record<string, unknown[]>;
  const counts = Object.entries(byType).map(([type, list]) => `${list.length} ${type}`);
  return counts.join(', ') || 'empty';
}
