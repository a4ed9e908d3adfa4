import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import type { Answer } from 'dns-packet';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { type Question, readReply } from './messages.ts';

export interface Server {
  address: string;
  port: number;
}
type Reply = NonNullable<ReturnType<typeof readReply>>;

const answerMs = 3_000;
/** A zone that takes longer, or is larger, is not moved by a portal. */
const transferMs = 15_000;
const transferMostBytes = 4_000_000;
const transferMostRecords = 20_000;

/** One question and its answer: by datagram, and over TCP where that was cut off. */
export async function exchange(server: Server, question: Question): Promise<Reply> {
  const short = await byDatagram(server, question);
  if (!short.truncated) return short;
  let whole: Reply | null = null;
  await overTcp(server, question, answerMs, (reply) => {
    whole = reply;
    return true;
  });
  if (!whole) throw silence(server);
  return whole;
}

/** The records of a zone, between the two SOA that enclose them; null where the server refuses. */
export async function transferFrom(server: Server, question: Question): Promise<Answer[] | null> {
  const records: Answer[] = [];
  let refused = false;
  let ends = 0;
  await overTcp(server, question, transferMs, ({ code, answers }) => {
    refused ||= code !== 0 || (ends === 0 && answers[0]?.type !== 'SOA');
    if (refused) return true;
    for (const answer of answers) {
      if (answer.type === 'SOA') ends += 1;
      else records.push(answer);
    }
    if (records.length > transferMostRecords) throw new UpstreamUnavailable('dns: the zone is too large');
    return ends >= 2;
  });
  return refused ? null : records;
}

function byDatagram(server: Server, question: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(server.address.includes(':') ? 'udp6' : 'udp4');
    const end = (act: () => void) => {
      clearTimeout(timer);
      socket.close();
      act();
    };
    const timer = setTimeout(() => end(() => reject(silence(server))), answerMs);
    socket.once('error', (error) => end(() => reject(silence(server, error))));
    socket.on('message', (bytes) => {
      const reply = readReply(bytes, question);
      if (reply) end(() => resolve(reply));
    });
    // Connected: the system drops what comes from elsewhere.
    socket.connect(server.port, server.address, () => socket.send(question.bytes));
  });
}

/** Hands every message to `take` until it says that this was the last, or the server ends. */
function overTcp(
  server: Server,
  question: Question,
  limitMs: number,
  take: (reply: Reply) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(server.port, server.address);
    const end = (error?: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    const timer = setTimeout(() => end(silence(server)), limitMs);
    let held = Buffer.alloc(0);
    let taken = 0;
    socket.once('error', (error) => end(silence(server, error)));
    socket.once('close', () => end(silence(server)));
    socket.on('data', (chunk) => {
      taken += chunk.length;
      if (taken > transferMostBytes) return end(new UpstreamUnavailable('dns: the zone is too large'));
      held = Buffer.concat([held, chunk]);
      try {
        while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
          const size = 2 + held.readUInt16BE(0);
          const reply = readReply(held.subarray(2, size), question);
          held = held.subarray(size);
          if (reply && take(reply)) return end();
        }
      } catch (error) {
        end(error);
      }
    });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(question.bytes.length);
    socket.once('connect', () => socket.write(Buffer.concat([length, question.bytes])));
  });
}

const silence = ({ address, port }: Server, cause?: unknown) =>
  new UpstreamUnavailable(`dns: ${address} port ${port} did not answer`, { cause });
