import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from './commands/run.ts';
import { BODY_LIMIT_BYTES, parseEnvelope, requestOf } from './envelope.ts';
import { type Fault, refusalOf, takeFault } from './faults.ts';
import { sweep } from './life.ts';
import { writeReply } from './reply.ts';
import { sameText, signatureOf } from './signature.ts';
import { addTimer } from './state/timers.ts';
import type { World } from './world.ts';
import { failed, textOf, type XcpMap, type XcpReply, type XcpRequest } from './xcp.ts';

/** What becomes of one POST: an answer, or how it fails to get one. */
type Answer =
  | { kind: 'body'; body: Buffer; close?: boolean; length?: 'announced' | 'none' | 'more' }
  | { kind: 'hang' }
  | { kind: 'drop' };

interface Connection {
  openedAt: number;
  commands: number;
}

export interface Wire {
  opened(socket: Socket): void;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export interface Credentials {
  username: string;
  key: string;
}

/** HTTP around the commands: signature, limits, and the faults that show on the wire. */
export function createWire(world: World, credentials: Credentials): Wire {
  const connections = new Map<Socket, Connection>();
  let recent: number[] = [];

  const tooFast = () => {
    const now = performance.now();
    recent = recent.filter((at) => at > now - 1_000);
    recent.push(now);
    return recent.length > world.knobs().perSecond;
  };

  /** OpenSRS: 100 commands and 60 s per connection, limits on rate and number (checked 2026-11-21). */
  const limited = (socket: Socket): { reply: XcpReply; close: boolean } | null => {
    const knobs = world.knobs();
    const connection = connections.get(socket) ?? { openedAt: performance.now(), commands: 0 };
    connection.commands += 1;
    if (connection.commands > knobs.commandsPerConnection) {
      return { reply: failed(350, 'Maximum commands per connection reached, re-authenticate'), close: true };
    }
    if (connections.size > knobs.connections) {
      return { reply: failed(310, 'Maximum number of simultaneous connections exceeded'), close: true };
    }
    if (tooFast()) {
      return { reply: failed(300, 'Maximum command rate exceeded, command deferred'), close: false };
    }
    return null;
  };

  const answerTo = async (message: IncomingMessage): Promise<Answer> => {
    const body = await readAll(message);
    if (!body) return plain(world, failed(400, 'Internal server error.'), true);
    const refusal = authenticate(world, credentials, message, body);
    if (refusal) return plain(world, refusal);
    const limit = limited(message.socket);
    if (limit) return plain(world, limit.reply, limit.close);
    let top: XcpMap;
    try {
      top = parseEnvelope(body);
    } catch {
      return plain(world, failed(400, 'Internal server error.'));
    }
    if (textOf(top, 'protocol').toUpperCase() !== 'XCP') {
      return plain(world, failed(500, 'Unrecognized protocol'));
    }
    return perform(world, requestOf(top));
  };

  return {
    opened(socket) {
      connections.set(socket, { openedAt: performance.now(), commands: 0 });
      const timer = setTimeout(() => socket.destroySoon(), world.knobs().connectionMs);
      timer.unref();
      socket.once('close', () => {
        clearTimeout(timer);
        connections.delete(socket);
      });
    },
    async handle(message, response) {
      if (message.method !== 'POST' || new URL(message.url ?? '/', 'http://x').pathname !== '/') {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('POST / only\n');
        return;
      }
      send(world, message, response, await answerTo(message));
    },
  };
}

async function readAll(message: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function authenticate(
  world: World,
  credentials: Credentials,
  message: IncomingMessage,
  body: Buffer,
): XcpReply | null {
  const address = (message.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (world.knobs().deniedIps.includes(address)) return failed(400, 'Access denied: invalid IP address');
  const username = headerOf(message, 'x-username');
  // is_success is 1 here, oddly (one client's capture, checked 2026-11-21).
  if (!username) return { code: 404, success: true, text: 'Missing X-Username: header' };
  const rightName = sameText(username, credentials.username);
  const rightKey = sameText(headerOf(message, 'x-signature'), signatureOf(body, credentials.key));
  return rightName && rightKey ? null : failed(401, 'Authentication Failed');
}

function headerOf(message: IncomingMessage, name: string): string {
  const value = message.headers[name];
  return typeof value === 'string' ? value : '';
}

async function perform(world: World, request: XcpRequest): Promise<Answer> {
  const fault = takeFault(world, request);
  const waitMs = world.knobs().latencyMs + (fault?.delayMs ?? 0);
  if (waitMs > 0) await delay(waitMs);
  sweep(world);
  const refusal = fault && refusalOf(fault, request);
  if (refusal) return logged(world, request, refusal, fault, written(world, request, refusal));
  switch (fault?.effect) {
    case 'timeout-before':
      return logged(world, request, null, fault, { kind: 'hang' });
    case 'drop-before':
      return logged(world, request, null, fault, { kind: 'drop' });
    case 'late':
      addTimer(world, world.knobs().lateMs, 'late-command', { ...request });
      return logged(world, request, null, fault, { kind: 'hang' });
  }
  const reply = runCommand(world, request, twistOf(fault));
  return logged(world, request, reply, fault, spoiled(world, request, reply, fault));
}

function twistOf(fault: Fault | null) {
  if (fault?.effect === 'forcedpending') return 'forced-pending';
  return fault?.effect === 'async' ? 'async' : undefined;
}

/** The effect has happened; what the caller gets to see of it. */
function spoiled(world: World, request: XcpRequest, reply: XcpReply, fault: Fault | null): Answer {
  const answer = written(world, request, reply);
  switch (fault?.effect) {
    case 'timeout-after':
      return { kind: 'hang' };
    case 'drop-after':
      return { kind: 'drop' };
    case '705-after':
      return written(world, request, failed(705, 'Timed out, resubmit request.'));
    case 'garbage':
      return { kind: 'body', body: Buffer.from('<html><body>502 Bad Gateway</body>') };
    case 'empty':
      return { kind: 'body', body: Buffer.alloc(0) };
    case 'truncated':
      return { kind: 'body', body: answer.body.subarray(0, Math.floor(answer.body.length / 2)) };
    case 'cut':
      return { ...answer, length: 'more' };
    case 'no-length':
      return { ...answer, length: 'none', close: true };
    default:
      return answer;
  }
}

function written(world: World, request: XcpRequest, reply: XcpReply) {
  const { random } = world;
  const body = writeReply(reply, { random, object: request.object, variants: world.knobs().variants });
  return { kind: 'body', body } as const;
}

/** Refusals before a command is known carry neither object nor attributes. */
function plain(world: World, reply: XcpReply, close = false): Answer {
  const body = writeReply(reply, { random: world.random, object: '', variants: false });
  return { kind: 'body', body, close };
}

const LOG_ROWS = 500;

function logged(
  world: World,
  request: XcpRequest,
  reply: XcpReply | null,
  fault: Fault | null,
  answer: Answer,
): Answer {
  world.sql.run(
    'INSERT INTO registrar_log (at, action, object, domain, code, fault) VALUES (?, ?, ?, ?, ?, ?)',
    world.now(),
    request.action,
    request.object,
    request.domain,
    reply?.code ?? 0,
    fault?.effect ?? '',
  );
  world.sql.run(
    'DELETE FROM registrar_log WHERE sequence <= (SELECT max(sequence) FROM registrar_log) - ?',
    LOG_ROWS,
  );
  return answer;
}

function send(world: World, message: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { socket } = message;
  if (answer.kind === 'drop') {
    socket.destroy();
    return;
  }
  if (answer.kind === 'hang') {
    const timer = setTimeout(() => socket.destroy(), world.knobs().hangMs);
    socket.once('close', () => clearTimeout(timer));
    return;
  }
  if (socket.destroyed) return;
  response.statusCode = 200;
  response.setHeader('Content-Type', 'text/xml');
  if (answer.close) response.setHeader('Connection', 'close');
  if (answer.length === 'none') {
    // Both have to go before Node stops adding them: the end of the connection is the end of the body.
    response.removeHeader('Content-Length');
    response.removeHeader('Transfer-Encoding');
    response.end(answer.body);
    return;
  }
  response.setHeader('Content-Length', answer.body.length);
  if (answer.length === 'more') {
    response.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => socket.destroy());
    return;
  }
  response.end(answer.body);
}
