import { datesOf } from './months.ts';
import { asOwner, refreshDomains } from './past.ts';
import type { Portal } from './portal.ts';
import { type Seeding, until, withKnobs } from './seeding.ts';
import { leaveUnverified } from './troubles.ts';

/** What is left to do when all has been bought: the registry's dates, and the proof that both sides agree. */

/** So many days after its expiry a name is deleted. */
const graceDays = 40;
const longerThanAny = 1_000;

/** Tells the registry since when each name is there and until when; the portal then reads them all again. */
export async function setDates(seeding: Seeding, organisationId: string): Promise<void> {
  const { portal, progress } = seeding;
  const dates = datesOf();
  // What is deleted by now was seen to expire before.
  await withKnobs(portal, { graceDays: longerThanAny }, async () => {
    await portal.control('registrar', 'domains/dates', dates);
    await refreshDomains(portal, organisationId, (done, all) => progress.at(done, all, 'domains'));
  });
  const deleted = dates.filter(({ expiresInDays }) => expiresInDays < -graceDays);
  await seeDeleted(
    portal,
    organisationId,
    deleted.map(({ domain }) => domain),
  );
  await leaveUnverified(seeding);
}

function seeDeleted(portal: Portal, organisationId: string, addresses: readonly string[]): Promise<void> {
  return asOwner(portal, async (client) => {
    for (const address of addresses) {
      await client.query(`SELECT graphile_worker.add_job('domains.sync', $1::json)`, [
        JSON.stringify({ organisationId, address }),
      ]);
    }
    await until('the deleted domains are seen', async () => {
      const { rowCount } = await client.query(
        'SELECT 1 FROM domains WHERE address = ANY ($1) AND restorable_until IS NOT NULL',
        [addresses],
      );
      return rowCount === addresses.length;
    });
  });
}

interface Reconciliation {
  runs: { startedAt: string; endedAt: string | null; incomplete: string | null }[];
  differences: { text: string }[];
}

/** Has the portal compare ledger, registrar and payments, as it does daily: it must find nothing. */
export async function compareAll(portal: Portal): Promise<void> {
  const { operatorToken } = portal;
  const { key, id } = await portal.call<{ key: string; id: string }>(
    ...([operatorToken, 'POST', 'operator/operators', { name: 'Seed' }] as const),
  );
  const since = Date.now();
  await portal.call(key, 'POST', 'operator/reconciliation');
  let found: Reconciliation | null = null;
  await until('the comparison with registrar and payments', async () => {
    found = await portal.call<Reconciliation>(key, 'GET', 'operator/reconciliation');
    const [run] = found.runs;
    return run !== undefined && run.endedAt !== null && Date.parse(run.startedAt) >= since;
  });
  await portal.call(operatorToken, 'DELETE', `operator/operators/${id}`);
  const texts = ((found as Reconciliation | null)?.differences ?? []).map(({ text }) => text);
  if (texts.length > 0) throw new Error(`The seed does not add up: ${texts.join('; ')}`);
}
