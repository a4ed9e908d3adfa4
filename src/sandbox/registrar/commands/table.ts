import { trustCommands } from '../trust/commands.ts';
import type { OrderTwist, World } from '../world.ts';
import type { XcpReply, XcpRequest } from '../xcp.ts';
import { accountCommands } from './account.ts';
import { getCommands } from './get.ts';
import { listCommands } from './lists.ts';
import { lookupCommands } from './lookup.ts';
import { modifyCommands } from './modify.ts';
import { nameserverCommands } from './nameservers.ts';
import { orderCommands } from './orders.ts';
import { registerCommands } from './register.ts';
import { registrantCommands } from './registrant.ts';
import { renewCommands } from './renew.ts';
import { transferCommands } from './transfers.ts';
import { zoneCommands } from './zones.ts';

/**
 * Carries one command out: effect and order rows in the one transaction that it is called in.
 * A `Refusal` rolls back; a reply returned commits.
 */
export type Command = (world: World, request: XcpRequest, twist?: OrderTwist) => XcpReply;

/** By `ACTION OBJECT`, upper case. A further object joins by one more table in the list. */
export type CommandTable = Record<string, Command>;

const commands = new Map<string, Command>(
  [
    accountCommands,
    getCommands,
    listCommands,
    lookupCommands,
    modifyCommands,
    nameserverCommands,
    orderCommands,
    registerCommands,
    registrantCommands,
    renewCommands,
    transferCommands,
    trustCommands,
    zoneCommands,
  ].flatMap((table) => Object.entries(table)),
);

export function commandFor(request: XcpRequest): Command | undefined {
  return commands.get(`${request.action} ${request.object}`);
}
