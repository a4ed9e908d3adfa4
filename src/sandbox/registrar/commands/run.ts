import type { OrderTwist, World } from '../world.ts';
import { failed, Refusal, type XcpReply, type XcpRequest } from '../xcp.ts';
import { commandFor } from './table.ts';

/** Carries a command out in one transaction, so that a kill -9 finds all of it or nothing. */
export function runCommand(world: World, request: XcpRequest, twist?: OrderTwist): XcpReply {
  const command = commandFor(request);
  if (!command) return failed(400, `Invalid Command: ${request.action} ${request.object}`.trim());
  try {
    return world.sql.transaction(() => command(world, request, twist));
  } catch (error) {
    if (error instanceof Refusal) return error.reply;
    console.error('registrar stand-in failed', request.action, request.object, error);
    return failed(400, 'Internal server error.');
  }
}
