import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { SandboxStore } from '../store.ts';
import { type Channel, channelOf, type StoredEvent, urlOf } from './events.ts';
import { effectOn, readFaults } from './webhook-faults.ts';
import type { PaymentsKeys, Settings, WebhookEndpoint } from './world.ts';

/** In flight at once; also the number of kept connections. */
const PARALLEL = 48;
const POLL_MS = 100;
const ANSWER_LIMIT_MS = 20_000;
/** 1, 2, 4 … 60 s. The provider goes on for three days; here some twenty minutes suffice for a portal to come back. */
const ATTEMPTS = 24;
const retryDelayMs = (attempts: number) => Math.min(60_000, 1000 * 2 ** (attempts - 1));

interface Due {
  id: number;
  event_id: string;
  channel: Channel;
  attempts: number;
  json: string;
  type: string;
}

export interface WebhookSender {
  /** Queues one event within the caller's transaction. */
  queue(event: StoredEvent): void;
  /** Looks at the queue now instead of at the next tick. */
  wake(): void;
  /** Resolves when nothing is due or on its way. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** `t=…,v1=…` over `<t>.<payload>` (reference §2.3; verified against the SDK's `constructEvent`). */
function signatureHeader(payload: string, secret: string, seconds: number): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

export function startWebhooks(store: SandboxStore, settings: Settings, keys: PaymentsKeys): WebhookSender {
  const { db } = store;
  const agent = new Agent({ connections: PARALLEL, pipelining: 1, keepAliveTimeout: 5000 });
  const insert = db.prepare(
    'INSERT INTO payments_deliveries (event_id, channel, due_ms, state) VALUES (?, ?, ?, ?)',
  );
  const select = db.prepare(
    `SELECT d.id, d.event_id, d.channel, d.attempts, e.json, e.type FROM payments_deliveries d
     JOIN payments_events e ON e.id = d.event_id
     WHERE d.state = 'pending' AND d.due_ms <= ? ORDER BY d.due_ms, d.id LIMIT ?`,
  );
  const done = db.prepare(
    'UPDATE payments_deliveries SET state = ?, attempts = ?, last_status = ?, due_ms = ? WHERE id = ?',
  );
  const flying = new Set<number>();
  let closed = false;
  let scheduled = false;

  const endpoint = () => settings.read<WebhookEndpoint>('webhook-endpoint', { url: null });

  const signed = (row: Due): string => {
    const faults = readFaults(settings, store.now(), row.type);
    const own = row.channel === 'connect' ? keys.connectWebhookSecret : keys.webhookSecret;
    const secret = faults.wrongSecret ? 'whsec_of_somebody_else' : own;
    // The signature's age is judged by the receiver's own clock, hence real time and not the sandbox's.
    return signatureHeader(row.json, secret, Math.floor(Date.now() / 1000) - (faults.staleSeconds ?? 0));
  };

  const queue = (event: StoredEvent) => {
    const channel = channelOf(event);
    if (!urlOf(endpoint(), channel)) return;
    for (const delivery of effectOn(event.type, settings, store.now())) {
      insert.run(event.id, channel, store.now() + delivery.delayMs, delivery.dropped ? 'dropped' : 'pending');
    }
    wake();
  };

  const wake = () => {
    if (scheduled || closed) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      pump();
    });
  };

  const pump = () => {
    if (closed || flying.size > PARALLEL / 2 || db.isTransaction) return;
    const rows = select.all(store.now(), PARALLEL + flying.size) as unknown as Due[];
    for (const row of rows) {
      if (flying.has(row.id)) continue;
      if (flying.size >= PARALLEL) break;
      flying.add(row.id);
      void send(row).finally(() => {
        flying.delete(row.id);
        wake();
      });
    }
  };

  const send = async (row: Due) => {
    const url = urlOf(endpoint(), row.channel);
    const answer = url ? await post(agent, url, row, signed(row)) : 'no endpoint';
    if (closed) return;
    const attempts = row.attempts + 1;
    const delivered = /^2\d\d$/.test(answer);
    const state = delivered ? 'delivered' : attempts >= ATTEMPTS ? 'failed' : 'pending';
    done.run(state, attempts, answer, store.now() + (delivered ? 0 : retryDelayMs(attempts)), row.id);
  };

  const timer = setInterval(pump, POLL_MS);
  timer.unref();
  return {
    queue,
    wake,
    async idle() {
      while (flying.size > 0 || select.all(store.now(), 1).length > 0) {
        pump();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await agent.destroy();
    },
  };
}

/** The answer's status, or what went wrong on the way. */
async function post(agent: Agent, url: string, row: Due, signature: string): Promise<string> {
  try {
    const reply = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': signature,
      },
      body: row.json,
      headersTimeout: ANSWER_LIMIT_MS,
      bodyTimeout: ANSWER_LIMIT_MS,
    });
    await reply.body.dump();
    return String(reply.statusCode);
  } catch (error) {
    return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'error';
  }
}
