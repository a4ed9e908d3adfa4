import type { PanelTable } from '../part.ts';
import type { World } from './world.ts';

const ROWS = 30;

/** What the panel page shows of the payment provider. Client secrets and links are left out. */
export function view(world: World): PanelTable[] {
  const { objects } = world;
  return [
    {
      title: 'Payments',
      columns: ['Id', 'Account', 'Amount', 'Method', 'Status', 'Failure', 'Created'],
      rows: objects
        .all('payment_intent', ROWS)
        .map(({ object, account }) => [
          object.id,
          account || 'platform',
          dollars(object.amount),
          methodOf(world, object.payment_method),
          object.status,
          object.last_payment_error?.message ?? '',
          when(object.created),
        ]),
    },
    {
      title: 'Customers',
      columns: ['Id', 'Account', 'Name', 'Email', 'Created'],
      rows: objects
        .all('customer', ROWS)
        .map(({ object, account }) => [
          object.id,
          account || 'platform',
          object.name ?? '',
          object.email ?? '',
          when(object.created),
        ]),
    },
    {
      title: 'Payment accounts',
      columns: ['Id', 'Email', 'Set up', 'Still needed'],
      rows: objects
        .all('account', ROWS)
        .map(({ object }) => [
          object.id,
          object.email ?? '',
          object.detailsSubmitted ? 'yes' : 'no',
          object.currentlyDue.join(', '),
        ]),
    },
    {
      title: 'Refunds and disputes',
      columns: ['Id', 'Charge', 'Amount', 'Status'],
      rows: [...objects.all('refund', ROWS), ...objects.all('dispute', ROWS)].map(({ object }) => [
        object.id,
        String(object.charge),
        dollars(object.amount),
        object.status ?? '',
      ]),
    },
    webhooks(world),
  ];
}

function webhooks(world: World): PanelTable {
  const rows = world.store.db
    .prepare(
      `SELECT d.event_id, e.type, d.state, d.attempts, coalesce(d.last_status, '') AS answer
       FROM payments_deliveries d JOIN payments_events e ON e.id = d.event_id ORDER BY d.id DESC LIMIT ?`,
    )
    .all(ROWS) as { event_id: string; type: string; state: string; attempts: number; answer: string }[];
  return {
    title: 'Webhooks',
    columns: ['Event', 'Type', 'State', 'Attempts', 'Last answer'],
    rows: rows.map((row) => [row.event_id, row.type, row.state, String(row.attempts), row.answer]),
  };
}

function methodOf(world: World, id: unknown): string {
  const method = typeof id === 'string' ? world.objects.anywhere(id)?.object : undefined;
  return typeof method?.type === 'string' ? method.type : '';
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

function when(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
