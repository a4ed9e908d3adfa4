import pg from 'pg';
import { operations } from '../src/contracts/operations.ts';
import { createFeatures } from '../src/server/compose.ts';
import { createAdapters } from '../src/server/compose-adapters.ts';
import { appOptions } from '../src/server/compose-http.ts';
import { identifyCaller } from '../src/server/http/caller.ts';
import { readConfig } from '../src/server/kernel/config.ts';
import { createDatabase } from '../src/server/kernel/db/database.ts';
import { createLogger } from '../src/server/kernel/logger.ts';
import { setInitialFee } from '../tests/support/first-payment.ts';
import { median, ofRounds, type Result } from './result.ts';
import type { Stand } from './stand.ts';

const callsPerRound = 2_000;
const rounds = 7;
const targetRatio = 0.5;

/**
 * Authentication, permission and scope of one request, together, as the server does them before it reads a body, beside the least
 * that they could be: one question of the bare driver for a row by its key. In turns, so that a slow machine slows both.
 */
export async function measureCaller(stand: Stand): Promise<Result> {
  const config = readConfig({ ...stand.settings, ROLES: 'web' });
  const logger = createLogger({ level: 'silent' });
  const bare = new pg.Client({ connectionString: stand.databaseUrl });
  await bare.connect();
  const open = (url: string) => createDatabase({ url, maxConnections: 4 });
  const [db, systemDb] = [open(config.database.tenants), open(config.database.system)];
  try {
    const adapters = createAdapters(config, logger);
    const ground = { config, db, systemDb, logger };
    const features = createFeatures(ground, adapters);
    const deps = appOptions(ground, adapters, features);
    const email = 'caller@msp.example';
    await stand.control('identity', 'users/add', { email, verified: true, name: 'Caller' });
    const { token } = await stand.control<{ token: string }>('identity', 'tokens/mint', { email });
    const identity = await adapters.identity.verify(token);
    const profile = { username: 'caller', organization: 'Caller MSP' };
    const { organizationId } = await features.users.createProfile(identity, profile, { ip: null });
    await setInitialFee(systemDb, organizationId);
    const operation = operations.find(({ id }) => id === 'customers.list');
    if (!operation) throw new Error('there is no such operation');
    const request = { id: 'bench', ip: '192.0.2.1', headers: { authorization: `Bearer ${token}` } };
    const identify = () =>
      identifyCaller(operation, request as unknown as Parameters<typeof identifyCaller>[1], deps);
    const question = { name: 'user', text: 'SELECT * FROM users WHERE organisation_id = $1' };
    const ask = () => bare.query({ ...question, values: [organizationId] });
    const pairs: { ms: number; floorMs: number }[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      pairs.push({ floorMs: await each(ask), ms: await each(identify) });
    }
    const rest = pairs.slice(1);
    const spread = ofRounds(rest.map((pair) => pair.floorMs / pair.ms));
    const { ratio } = spread;
    const [ms, floorMs] = [median(rest.map((pair) => pair.ms)), median(rest.map((pair) => pair.floorMs))];
    return {
      name: 'authentication, permission and scope of a request, one question of the bare driver / portal',
      measured: `${ratio.toFixed(2)} (${floorMs.toFixed(2)} / ${ms.toFixed(2)} ms)`,
      target: `≥ ${targetRatio}`,
      passed: ratio >= targetRatio,
      figures: { ...spread, ms, floorMs },
    };
  } finally {
    await Promise.all([db.destroy(), systemDb.destroy(), bare.end()]);
  }
}

/** Milliseconds of one call. */
async function each(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < callsPerRound; call += 1) await work();
  return (performance.now() - start) / callsPerRound;
}
