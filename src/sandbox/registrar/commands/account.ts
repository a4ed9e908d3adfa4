import { balanceText } from '../format.ts';
import { readAccount } from '../state/account.ts';
import type { World } from '../world.ts';
import { ok, Refusal, textOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import type { CommandTable } from './table.ts';

function balance(world: World): XcpReply {
  const { balanceCents, holdCents } = readAccount(world);
  return ok('Command successful', {
    balance: balanceText(balanceCents),
    hold_balance: balanceText(holdCents),
  });
}

function poll(world: World, request: XcpRequest): XcpReply {
  const limit = Math.min(Math.max(Number(textOf(request.attributes, 'limit')) || 1, 1), 100);
  const total = world.sql.get<{ total: number }>(
    'SELECT count(*) AS total FROM registrar_events WHERE acknowledged = 0',
  )?.total;
  const rows = world.sql.all<{ event_id: string; object: string; event: string; at: number; data: string }>(
    `SELECT event_id, object, event, at, data FROM registrar_events WHERE acknowledged = 0
     ORDER BY sequence LIMIT ?`,
    limit,
  );
  const events = rows.map((row) => ({
    event_id: row.event_id,
    event: row.event,
    event_date: new Date(row.at).toISOString(),
    object: row.object,
    object_data: JSON.parse(row.data) as XcpMap,
  }));
  return ok('Command successful', { total: String(total ?? 0), events });
}

function acknowledge(world: World, request: XcpRequest): XcpReply {
  const id = textOf(request.attributes, 'event_id');
  if (!id) throw new Refusal(460, 'Missing required field: event_id');
  const known = world.sql.get('SELECT 1 FROM registrar_events WHERE event_id = ?', id);
  if (!known) throw new Refusal(480, 'Event not found.');
  world.sql.run('UPDATE registrar_events SET acknowledged = 1 WHERE event_id = ?', id);
  return ok('Command successful');
}

export const accountCommands: CommandTable = {
  'GET_BALANCE DOMAIN': balance,
  'GET_BALANCE BALANCE': balance,
  'POLL EVENT': poll,
  'ACK EVENT': acknowledge,
};
