import type { Duplex } from 'node:stream';
import { SMTPServer } from 'smtp-server';
import type { MailHost } from './hosts.ts';

/** Mail servers that take connections from elsewhere: one with encryption on offer, one without. */
export function createMailHosts(): (host: MailHost) => (socket: Duplex) => void {
  const make = (startTls: boolean) =>
    new SMTPServer({
      ...{ name: 'mx.world.example', authOptional: true, disableReverseLookup: true, logger: false },
      disabledCommands: startTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    });
  const servers = { with: make(true), without: make(false) };
  return ({ startTls }) =>
    (socket) =>
      void (startTls ? servers.with : servers.without).server.emit('connection', socket);
}
