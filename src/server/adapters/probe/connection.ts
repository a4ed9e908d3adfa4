import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isInnerAddress } from '#contracts/values/inner-address.ts';
import { assertNoTransaction } from '#kernel/db/transaction-context.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Refused } from '../../ports/probe.ts';

export interface ProbeOptions {
  /** An HTTP proxy (CONNECT) through which all connections go; null: they go out directly. */
  proxy: string | null;
  /** PEM of authorities that are trusted beside the usual ones. */
  authorities: readonly string[];
  /** By what name we greet mail servers. */
  name: string;
  /** Which addresses may be connected to; those of inner networks never, save in tests. */
  mayConnect?: (address: string) => boolean;
  timeoutMs?: number;
}

/** One look: connecting, asking, the last byte. */
const lookMs = 8_000;

/** A connection of one look: it ends with its time, and with the act that it was opened for. */
export async function look<T>(
  options: ProbeOptions,
  { address, port }: { address: string; port: number },
  act: (socket: Duplex) => Promise<T>,
): Promise<T | Refused> {
  const what = `probe: ${address} port ${port}`;
  assertNoTransaction(what);
  const mayConnect = options.mayConnect ?? ((one: string) => !isInnerAddress(one));
  if (!mayConnect(address)) throw new UpstreamUnavailable(`${what}: an address of an inner network`);
  const within = AbortSignal.timeout(options.timeoutMs ?? lookMs);
  const over = new Promise<never>((_resolve, reject) => {
    within.addEventListener('abort', () => reject(new UpstreamUnavailable(`${what}: no answer in time`)));
  });
  over.catch(() => undefined);
  const opened = await Promise.race([open(options.proxy, address, port, within), over]).catch((error) => {
    throw unavailable(what, error);
  });
  if (opened === 'refused') return opened;
  opened.on('error', () => undefined);
  try {
    return await Promise.race([act(opened), over]);
  } catch (error) {
    throw unavailable(what, error);
  } finally {
    opened.destroy();
  }
}

const unavailable = (what: string, error: unknown) =>
  error instanceof UpstreamUnavailable ? error : new UpstreamUnavailable(what, { cause: error });

function open(proxy: string | null, address: string, port: number, signal: AbortSignal) {
  return proxy === null ? direct(address, port, signal) : through(proxy, address, port, signal);
}

function direct(address: string, port: number, signal: AbortSignal): Promise<Socket | Refused> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, signal });
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) =>
      'code' in error && error.code === 'ECONNREFUSED' ? resolve('refused') : reject(error),
    );
  });
}

/** What a proxy says when nobody listens there; 504 is silence (RFC 9110, section 15.6). */
const refusals = [502, 503];

function through(
  proxy: string,
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<Duplex | Refused> {
  const { hostname, port: proxyPort } = new URL(proxy);
  const target = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      ...{ host: hostname, port: proxyPort, method: 'CONNECT', path: target, signal, agent: false },
      headers: { host: target },
    });
    asked.once('connect', ({ statusCode = 0 }, socket, head) => {
      // A mail server speaks first: its greeting may come along with the proxy's answer.
      if (head.length > 0) socket.unshift(head);
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      if (refusals.includes(statusCode)) resolve('refused');
      else reject(new Error(`the proxy answered ${statusCode}`));
    });
    asked.once('error', reject);
    asked.end();
  });
}
