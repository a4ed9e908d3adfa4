import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { z } from 'zod';
import type { ListenOptions, SandboxPart } from '../part.ts';
import { openReader } from '../registrar/read.ts';
import type { SandboxStore } from '../store.ts';
import { createHosted, hostedZones } from './hosted.ts';
import { type Mode, replyTo } from './message.ts';
import { createOutside, outsideRecords } from './outside.ts';

export interface DnsOptions extends ListenOptions {
  store: SandboxStore;
}

const TCP_IDLE_MS = 10_000;
const PORT_TRIES = 20;

/** Starts real DNS (UDP and TCP) over what the registrar holds and delegates. */
export async function startDns(options: DnsOptions): Promise<SandboxPart> {
  const { host } = options;
  const outside = createOutside();
  const hosted = createHosted();
  const reader = openReader(options.store);
  const context = { reader, address: host === '0.0.0.0' ? '127.0.0.1' : host, outside, hosted };
  let mode: Mode = 'normal';
  const load = createLoad();
  let latencyMs = 0;
  const answer = (message: Buffer, overTcp: boolean) => {
    try {
      return replyTo(context, message, overTcp, mode);
    } catch (error) {
      console.error('dns stand-in failed', error);
      return null;
    }
  };
  const sockets = new Set<Socket>();
  const { tcp, udp, port } = await listenBoth(options);
  udp.on('message', async (message, from) => {
    const ended = load.begin();
    const reply = answer(message, false);
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    ended();
    if (reply) udp.send(reply, from.port, from.address, () => {});
  });
  udp.on('error', (error) => console.error('dns stand-in failed', error));
  tcp.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveTcp(socket, (message) => {
      load.begin()();
      return answer(message, true);
    });
  });
  return {
    name: 'dns',
    url: `dns://${host.includes(':') ? `[${host}]` : host}:${port}`,
    control: {
      /** `silent`: no answer at all; `servfail`: every answer is a failure. */
      mode: (body) => {
        mode = z.strictObject({ mode: z.enum(['normal', 'silent', 'servfail']) }).parse(body).mode;
        return { ok: true };
      },
      /** Records of names that the registrar does not hold, in place of those that were set before. */
      outside: (body) => {
        outside.set(outsideRecords.parse(body).records);
        return { ok: true };
      },
      /** Zones at the DNS of others, in place of those that were set before. */
      zones: (body) => {
        hosted.set(hostedZones.parse(body).zones);
        return { ok: true };
      },
      /** How long each datagram is answered late. */
      latency: (body) => {
        latencyMs = z.strictObject({ ms: z.int().min(0).max(10_000) }).parse(body).ms;
        return { ok: true };
      },
      /** How many questions came since the start, and the most of them within a second and under way at once. */
      queries: () => load.figures(),
      reset: () => {
        mode = 'normal';
        latencyMs = 0;
        outside.set([]);
        hosted.set([]);
        return { ok: true };
      },
    },
    view: () => [
      {
        title: 'DNS',
        columns: ['Mode', 'Queries since start'],
        rows: [[mode, String(load.figures().queries)]],
      },
    ],
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => tcp.close(() => resolve())),
        new Promise<void>((resolve) => udp.close(() => resolve())),
      ]);
    },
  };
}

/** Counts what comes: in all, the most within a second, and the most that waited for their answers at once. */
function createLoad() {
  const figures = { queries: 0, mostInSecond: 0, mostAtOnce: 0 };
  let open = 0;
  let recent: number[] = [];
  return {
    figures: () => ({ ...figures }),
    begin(): () => void {
      const now = performance.now();
      recent = [...recent.filter((at) => at > now - 1_000), now];
      open += 1;
      figures.queries += 1;
      figures.mostInSecond = Math.max(figures.mostInSecond, recent.length);
      figures.mostAtOnce = Math.max(figures.mostAtOnce, open);
      return () => {
        open -= 1;
      };
    },
  };
}

/** Each message has its length before it; several may come at once. */
function serveTcp(socket: Socket, answer: (message: Buffer) => Buffer | null): void {
  let held = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const end = 2 + held.readUInt16BE(0);
      const reply = answer(held.subarray(2, end));
      held = held.subarray(end);
      if (!reply) continue;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.write(Buffer.concat([length, reply]));
    }
  });
}

/** The same port for both; with port 0 a pair that happens to be free. */
async function listenBoth(options: ListenOptions): Promise<{ tcp: Server; udp: UdpSocket; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = createServer();
    await new Promise<void>((resolve, reject) => {
      tcp.once('error', reject);
      tcp.listen(options.port, options.host, () => resolve());
    });
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket(options.host.includes(':') ? 'udp6' : 'udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        udp.once('error', reject);
        udp.bind(port, options.host, () => resolve());
      });
      udp.removeAllListeners('error');
      return { tcp, udp, port };
    } catch (error) {
      udp.close();
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
      if (options.port !== 0 || attempt >= PORT_TRIES) throw error;
    }
  }
}
