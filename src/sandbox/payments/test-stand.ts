import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stripe } from 'stripe';
import { openStore, type SandboxStore } from '../store.ts';
import { type PaymentsPart, startPayments } from './index.ts';

const SECRET_KEY = 'sk_test_sandbox';
export const PUBLISHABLE_KEY = 'pk_test_sandbox';
export const WEBHOOK_SECRET = 'whsec_sandbox';
export const CONNECT_SECRET = 'whsec_sandbox_connect';

interface Received {
  body: string;
  signature: string;
}

/** A stand-in for one test file, the real SDK pointed at it, and a receiver for its webhooks. */
export interface Stand {
  part: PaymentsPart;
  store: SandboxStore;
  stripe: Stripe;
  received: Received[];
  /** What the receiver answers; 200 unless changed. */
  answer: { status: number };
  control(route: string, body?: unknown): Promise<unknown>;
  /** Lets the sandbox's clock run and does what becomes due. */
  pass(ms: number): Promise<void>;
  /** Another process on the same state, as after a restart. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openStand(): Promise<Stand> {
  const dir = mkdtempSync(join(tmpdir(), 'nameward-payments-'));
  const received: Received[] = [];
  const answer = { status: 200 };
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      received.push({ body, signature: String(request.headers['stripe-signature']) });
      response.writeHead(answer.status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  const start = (store: SandboxStore) =>
    startPayments({
      store,
      host: '127.0.0.1',
      port: 0,
      secretKey: SECRET_KEY,
      publishableKey: PUBLISHABLE_KEY,
      webhookSecret: WEBHOOK_SECRET,
      connectWebhookSecret: CONNECT_SECRET,
      webhookUrl,
    });
  const store = openStore(dir);
  const part = await start(store);
  const stand: Stand = {
    part,
    store,
    stripe: sdkFor(part.url),
    received,
    answer,
    async control(route, body) {
      const handler = stand.part.control[route];
      if (!handler) throw new Error(`no control route ${route}`);
      return handler(body);
    },
    async pass(ms) {
      stand.store.advance(ms);
      await stand.control('tick');
    },
    async restart() {
      await stand.part.close();
      stand.store.close();
      stand.store = openStore(dir);
      stand.part = await start(stand.store);
      stand.stripe = sdkFor(stand.part.url);
    },
    async close() {
      await stand.part.close();
      stand.store.close();
      receiver.closeAllConnections();
      await new Promise<void>((resolve) => receiver.close(() => resolve()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return stand;
}

/** The vendor's own client: if it is content with the answers, so is the portal's adapter. */
export function sdkFor(url: string, key: string = SECRET_KEY): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(key, {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    timeout: 10_000,
  });
}

export function eventsOf(stand: Stand): Stripe.Event[] {
  return stand.received.map(({ body }) => JSON.parse(body) as Stripe.Event);
}

/** The error that a call must end in. */
export async function failureOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('the call should have failed');
}
