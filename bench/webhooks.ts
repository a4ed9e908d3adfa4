import { createDatabase, type Db } from '../src/server/kernel/db/database.ts';
import type { Result } from './result.ts';
import { pause, type Stand, startPortal } from './stand.ts';

const perSecond = 2_000;
const seconds = 10;
const count = perSecond * seconds;
const appliedWithinMs = 60_000;

/** The payment provider sends 2,000 signed events a second for ten seconds: all are answered, stored and applied. */
export async function measureWebhooks(stand: Stand): Promise<Result> {
  await using portal = await startPortal({ ...stand.settings, ROLES: 'web,worker' });
  await stand.control('payments', 'webhook-endpoint', { url: `${portal.url}/api/webhooks/payments` });
  for (let payment = 0; payment < 20; payment += 1) await makePayment(stand.settings.STRIPE_API_BASE ?? '');
  const db = createDatabase({ url: stand.urls.system, maxConnections: 2 });
  try {
    await stand.control('payments', 'idle', {});
    const before = await counted(db);
    const startedMs = performance.now();
    const flood = await stand.control<{ sent: number; ms: number }>('payments', 'flood', {
      count,
      perSecond,
    });
    await stand.control('payments', 'idle', {});
    const answeredMs = performance.now() - startedMs;
    const all = before.stored + count;
    let now = await counted(db);
    while (now.applied < all && performance.now() - startedMs < answeredMs + appliedWithinMs) {
      await pause(100);
      now = await counted(db);
    }
    const appliedMs = performance.now() - startedMs;
    const rate = Math.round((flood.sent * 1000) / answeredMs);
    return {
      name: `webhooks: ${count} at ${perSecond} a second`,
      measured: `${now.applied - before.applied} applied, ${rate}/s answered`,
      target: `all ${count}`,
      passed: now.applied === all && now.stored === all,
      figures: { sentMs: flood.ms, answeredMs, appliedMs, rate, applied: now.applied - before.applied },
    };
  } finally {
    await db.destroy();
    await stand.control('payments', 'webhook-endpoint', { url: null });
  }
}

async function makePayment(apiBase: string): Promise<void> {
  const reply = await fetch(`${apiBase}/v1/payment_intents`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_sandbox', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ amount: '10000', currency: 'usd' }),
  });
  if (!reply.ok) throw new Error(`payment: ${reply.status} ${await reply.text()}`);
}

async function counted(db: Db): Promise<{ stored: number; applied: number }> {
  return db
    .selectFrom('webhook_events')
    .select((eb) => [eb.fn.countAll<number>().as('stored'), eb.fn.count<number>('applied_at').as('applied')])
    .executeTakeFirstOrThrow();
}
