import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decode, streamEncode } from 'dns-packet';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Probe } from '../../ports/probe.ts';
import { look, type ProbeOptions } from './connection.ts';
import { read, readReply } from './talk.ts';
import { ask, certificateOf, handshake } from './web.ts';

export type { ProbeOptions } from './connection.ts';

const ports = { https: 443, http: 80, mail: 25, dns: 53 } as const;

/** The authorities of a file, one by one; none where there is no file. */
export function readAuthorities(file: string | null): string[] {
  if (file === null) return [];
  const ends = '-----END CERTIFICATE-----';
  const parts = readFileSync(file, 'utf8').split(ends).slice(0, -1);
  return parts.map((part) => `${part}${ends}`);
}

/** Servers of others by real connections. */
export function createProbe(options: ProbeOptions): Probe {
  return {
    website: (host, address) =>
      look(options, { address, port: ports.https }, async (socket) => {
        const secured = await handshake(socket, host, options.authorities);
        const certificate = certificateOf(secured);
        const head = await ask(secured, { host, method: 'HEAD', path: '/' }).catch(() => null);
        return { certificate, status: head?.status ?? null };
      }),

    plainWebsite: (host, address) =>
      look(options, { address, port: ports.http }, async (socket) => {
        const { status } = await ask(socket, { host, method: 'HEAD', path: '/' });
        return { status };
      }),

    file: (host, address, path) =>
      look(options, { address, port: ports.https }, async (socket) => {
        const secured = await handshake(socket, host, options.authorities);
        if (certificateOf(secured).trouble !== null) return 'untrusted' as const;
        return ask(secured, { host, method: 'GET', path });
      }),

    mailServer: (address) =>
      look(options, { address, port: ports.mail }, async (socket) => {
        const greeting = await readReply(socket);
        if (!greeting[0]?.startsWith('220')) throw new UpstreamUnavailable('probe: no greeting');
        const offered = readReply(socket);
        socket.write(`EHLO ${options.name}\r\n`);
        const lines = await offered;
        if (!lines[0]?.startsWith('250')) throw new UpstreamUnavailable('probe: no answer to EHLO');
        socket.write('QUIT\r\n');
        return { startTls: lines.some((line) => /^250[- ]STARTTLS$/i.test(line)) };
      }),

    nameserver: (domain, address) =>
      look(options, { address, port: ports.dns }, async (socket) => {
        const id = randomInt(65_536);
        const replied = read(socket, (held) =>
          held.length >= 2 && held.length >= 2 + held.readUInt16BE(0) ? decode(held.subarray(2)) : undefined,
        );
        socket.write(
          streamEncode({ type: 'query', id, flags: 0, questions: [{ type: 'SOA', name: domain }] }),
        );
        const reply = await replied;
        if (reply.type !== 'response' || reply.id !== id) {
          throw new UpstreamUnavailable('probe: an answer to something else');
        }
        const soa = reply.answers?.find((answer) => answer.type === 'SOA');
        return {
          authoritative: reply.flag_aa && soa !== undefined,
          serial: soa?.type === 'SOA' ? (soa.data.serial ?? null) : null,
        };
      }),
  };
}
