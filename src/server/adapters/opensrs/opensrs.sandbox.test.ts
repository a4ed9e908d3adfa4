import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { createHttpClient } from '#kernel/http-client.ts';
import type { SandboxPart } from '../../../sandbox/part.ts';
import { startRegistrar } from '../../../sandbox/registrar/index.ts';
import { openStore } from '../../../sandbox/store.ts';
import {
  type OrderFault,
  type RegistrarWorld,
  registrarConformance,
} from '../../ports/conformance/registrar.ts';
import { createOpenSrs } from './index.ts';

/** The adapter and the stand-in were written apart from the same reference; here they meet on the wire. */

const key = 'a-key-of-this-test';
/** Nothing here waits for long, whatever the machine is busy with … */
const patientMs = 120_000;
/** … but where the registrar is silent. Shorter than that silence. */
const impatientMs = 1_000;

const effects: Record<OrderFault, string> = {
  refused: 'refuse',
  busy: 'busy',
  lost: 'timeout-before',
  'answer-lost': 'timeout-after',
  'connection-lost': 'drop-after',
  'answer-cut': 'truncated',
  garbage: 'garbage',
  empty: 'empty',
  'timed-out': '705',
  'timed-out-but-done': '705-after',
  'kept-pending': 'forcedpending',
  asynchronous: 'async',
};

interface StandInOrder {
  domain: string;
  affiliateId: string;
  status: string;
}

describe.each(['live', 'horizon'] as const)('the registrar, profile %s, texts varying', (profile) => {
  const dir = mkdtempSync(join(tmpdir(), 'registrar-conformance-'));
  let part: SandboxPart;
  let http: ReturnType<typeof createHttpClient>;
  let store: ReturnType<typeof openStore>;
  beforeAll(async () => {
    store = openStore(dir);
    part = await startRegistrar({
      store,
      host: '127.0.0.1',
      port: 0,
      username: 'reseller',
      key,
      seed: 7,
      knobs: { profile, variants: true, hangMs: 2_500 },
    });
  });
  afterAll(async () => {
    await http?.close();
    await part?.close();
    store?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The next order gets no answer in time. */
  let silent = false;
  afterEach(() => {
    silent = false;
  });

  const control = async (route: string, body: unknown = {}) => {
    const handler = part.control[route];
    if (!handler) throw new Error(`the stand-in has no control ${route}`);
    return handler(body);
  };
  const world: RegistrarWorld = {
    elsewhere: async (domain, { authCode, locked = false }) => {
      await control('outside-world', { domain, authCode, locked, ageDays: 400 });
    },
    spoil: async (domain, fault) => {
      silent = effects[fault].startsWith('timeout-');
      await control('faults', { domain, effect: effects[fault], times: 1 });
    },
    expireAndDelete: async (domain) => {
      await control('domains/dates', { domain, expiresInDays: -41 });
      await control('state');
    },
    sign: async (domain) => {
      await control('dnssec', { domain });
    },
    restores: profile === 'live',
    premiumName: (part) => `name-premium-${part}.com`,
    finishOrder: async (orderId) => {
      await control('orders/finish', { orderId });
    },
    finishTransfer: async (domain) => {
      // Two steps; the stand-in's test profile moves them only when told to.
      await control('transfers/advance', { domain, steps: 2 });
    },
    carriedOut: async (domain, tag) => {
      const { orders } = (await control('state')) as { orders: StandInOrder[] };
      return orders.filter(
        (order) => order.domain === domain && order.affiliateId === tag && order.status === 'completed',
      ).length;
    },
  };

  registrarConformance(async () => {
    http = createHttpClient({
      allowedOrigins: [part.url],
      timeoutMs: patientMs,
      connectTimeoutMs: patientMs,
      maxResponseBytes: 5_000_000,
      maxConnections: 10,
    });
    const made = (writeMs: number) =>
      createOpenSrs({
        url: part.url,
        username: 'reseller',
        key,
        http,
        limits: { parallel: 10, perSecond: 500 },
        timeouts: { readMs: patientMs, writeMs, waitMs: patientMs },
        repeats: { attempts: 3, firstPauseMs: 5 },
      });
    const [patient, impatient] = [made(patientMs), made(impatientMs)];
    return new Proxy(patient, {
      get: (_of, name) => Reflect.get(silent ? impatient : patient, name),
    });
  }, world);
});
