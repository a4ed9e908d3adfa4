import { compareAll, setDates } from './seed/afterwards.ts';
import { liveThrough } from './seed/months.ts';
import { isSeeded, lookAtCertificates, markSeeded, moveIntoPast, organisationOf } from './seed/past.ts';
import { demoPassword } from './seed/people.ts';
import { findPortal } from './seed/portal.ts';
import { createProgress } from './seed/progress.ts';
import { createSeeding, emails, withKnobs } from './seed/seeding.ts';
import { runIntoTrouble } from './seed/troubles.ts';

/**
 * `npm run seed`: fills the running portal with an MSP that can be looked at: 40 customers, some 300 domains with their
 * zones, certificates in every state, colleagues of every role, a year and a half of top-ups, orders and renewals, and what
 * goes wrong in life. Everything is done through the portal's own API against the sandbox, so it adds up; afterwards the
 * times are moved into the past. Always the same; refuses to run twice.
 */

const steps = 5;
const refusals = {
  done: 'This portal has the seed data already.',
  begun: 'An earlier seeding of this portal was interrupted, and cannot go on from there.',
};
const another =
  'Start one with a data folder of its own: DATA_DIR=… npm start, then DATA_DIR=… npm run seed.';

await main().catch((error: unknown) => {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  if (process.env.NODE_ENV === 'production') throw new Error('Seed data is not for a production.');
  const portal = findPortal();
  const left = await isSeeded(portal);
  if (left !== 'no') throw new Error(`${refusals[left]} ${another}`);
  const progress = createProgress(steps);
  const seeding = createSeeding(portal, progress);
  // An owner's address is confirmed at once, as it was long ago.
  await withKnobs(portal, { verifyMs: 0 }, async () => {
    progress.step('A year and a half of customers, domains, zones and renewals');
    await liveThrough(seeding);
    progress.step('What goes wrong: payments, transfers, certificates, a file');
    await runIntoTrouble(seeding);
  });
  progress.step('The registry’s dates');
  const organisationId = await organisationOf(portal);
  await setDates(seeding, organisationId);
  progress.step('Moving it into the past');
  await moveIntoPast(portal, organisationId, seeding.chapters);
  progress.step('The portal’s own checks');
  await lookAtCertificates(portal, organisationId);
  await compareAll(portal);
  markSeeded(portal);
  progress.end();
  console.log(`\nSign in at ${portal.url} as ${emails.admin}, password: ${demoPassword}`);
  console.log(`The same password for ${[emails.owner, emails.employee, emails.customer].join(', ')}.`);
}
