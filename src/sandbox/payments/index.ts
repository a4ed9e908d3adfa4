import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenOptions, SandboxPart } from '../part.ts';
import type { SandboxStore } from '../store.ts';
import { apiHandler } from './api.ts';
import { browserFile } from './browser-files.ts';
import { paymentsControl } from './control.ts';
import { inTransaction, makeTables, openObjects } from './database.ts';
import { openEventLog } from './events.ts';
import { openIdempotency } from './idempotency.ts';
import { servePage } from './pages/serve.ts';
import { accountRoutes } from './routes/accounts.ts';
import { accountV2Routes } from './routes/accounts-v2.ts';
import { customerRoutes } from './routes/customers.ts';
import { eventRoutes } from './routes/events.ts';
import { moneyRoutes } from './routes/money.ts';
import { paymentIntentRoutes } from './routes/payment-intents.ts';
import { setupRoutes } from './routes/setup.ts';
import { startTimers } from './timers.ts';
import { view } from './view.ts';
import { startWebhooks } from './webhooks.ts';
import { openSettings, type World } from './world.ts';

export interface PaymentsOptions extends ListenOptions {
  store: SandboxStore;
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Where webhooks go; may also be set later by the control route `webhook-endpoint`. */
  webhookUrl?: string;
  /** Signs events of connected accounts; the same as `webhookSecret` if unset. */
  connectWebhookSecret?: string;
  /** The address by which browsers reach this server, where it is not the one it listens on. */
  publicUrl?: string;
}

export interface PaymentsPart extends SandboxPart {
  publishableKey: string;
  /** Where the portal loads the browser script from. */
  scriptUrl: string;
  /** Resolves when all webhooks that are due have been answered or have failed. */
  idle(): Promise<void>;
}

/** Starts the stand-in of the payment provider: REST v1 and v2, webhooks, browser script and hosted pages. */
export async function startPayments(options: PaymentsOptions): Promise<PaymentsPart> {
  const { store } = options;
  makeTables(store);
  const settings = openSettings(store);
  if (options.webhookUrl) settings.write('webhook-endpoint', { url: options.webhookUrl });
  const keys = {
    secretKey: options.secretKey,
    publishableKey: options.publishableKey,
    webhookSecret: options.webhookSecret,
    connectWebhookSecret: options.connectWebhookSecret ?? options.webhookSecret,
  };
  const sender = startWebhooks(store, settings, keys);
  const log = openEventLog(store, sender.queue);
  const insertTimer = store.db.prepare(
    'INSERT INTO payments_timers (due_ms, kind, account, object_id) VALUES (?, ?, ?, ?)',
  );
  const world: World = {
    store,
    objects: openObjects(store),
    keys,
    settings,
    baseUrl: '',
    request: { id: null, idempotencyKey: null },
    seconds: () => Math.floor(store.now() / 1000),
    emit: (type, object, account) => void log.snapshot(type, object, account, world.request),
    emitThin: (type, accountId, data) => void log.thin(type, accountId, data),
    later: (delayMs, kind, account, objectId) => {
      insertTimer.run(store.now() + delayMs, kind, account, objectId);
    },
  };
  const routes = [
    ...paymentIntentRoutes,
    ...setupRoutes,
    ...customerRoutes,
    ...moneyRoutes,
    ...accountRoutes,
    ...accountV2Routes,
    ...eventRoutes(log),
  ];
  const api = apiHandler(world, routes, openIdempotency(store));
  const server = createServer((request, response) => {
    void route(world, api, request, response).catch((error: unknown) => {
      console.error('payments stand-in failed', error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const url = await listen(server, options).catch(async (error: unknown) => {
    await sender.close();
    throw error;
  });
  world.baseUrl = options.publicUrl ?? url;
  const timers = startTimers(world);
  return {
    name: 'payments',
    url,
    publishableKey: keys.publishableKey,
    scriptUrl: `${world.baseUrl}/v3/stripe.js`,
    control: paymentsControl(world, timers, sender),
    view: () => view(world),
    idle: () => sender.idle(),
    async close() {
      timers.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await sender.close();
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function route(world: World, api: Handler, request: IncomingMessage, response: ServerResponse) {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (path.startsWith('/v1/') || path.startsWith('/v2/')) return api(request, response);
  const file = await browserFile(path);
  if (file) {
    response.writeHead(200, file.headers).end(file.body);
    return;
  }
  await servePage(world, request, response, (work) => inTransaction(world.store, work));
}

async function listen(server: Server, { host, port }: ListenOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}
