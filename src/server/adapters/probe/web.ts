import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect, rootCertificates, type TLSSocket } from 'node:tls';
import type { SeenCertificate } from '../../ports/probe.ts';

/** Headers are read up to Node's own limit; of a body so many bytes. */
const mostBytes = 64_000;

/** A handshake under this name, whatever the certificate is worth. */
export function handshake(socket: Duplex, host: string, authorities: readonly string[]): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured: TLSSocket = connect({
      ...{ socket, servername: host, rejectUnauthorized: false },
      ca: [...rootCertificates, ...authorities],
    });
    secured.once('secureConnect', () => resolve(secured));
    secured.once('error', reject);
    secured.once('close', () => reject(new Error('the connection was closed')));
  });
}

/** What the server has shown. `trouble` is Node's own name of the first fault. */
export function certificateOf(secured: TLSSocket): SeenCertificate {
  const shown = secured.getPeerCertificate();
  const trouble = secured.authorized ? null : troubleOf(secured.authorizationError);
  return {
    names: (shown.subjectaltname ?? '').split(', ').flatMap((name) => /^DNS:(.+)$/.exec(name)?.[1] ?? []),
    serial: BigInt(`0x${shown.serialNumber}`).toString(16),
    validFrom: new Date(shown.valid_from),
    validTo: new Date(shown.valid_to),
    trouble,
  };
}

/** The types say that it is an error; it is its code where there is one. */
function troubleOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error ? String(error.code) : error.message;
  return String(error);
}

/** One request over a connection that is open already. */
export async function ask(
  socket: Duplex,
  { host, method, path }: { host: string; method: 'HEAD' | 'GET'; path: string },
): Promise<{ status: number; text: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request({
      ...{ createConnection: () => socket, host, method, path, setHost: false },
      headers: { host, 'user-agent': 'domain-health', accept: '*/*', connection: 'close' },
    });
    asked.once('response', resolve);
    asked.once('error', reject);
    asked.end();
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  if (method === 'GET') {
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > mostBytes) throw new Error('the answer is too large');
      parts.push(part);
    }
  }
  return { status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') };
}
