import { operations } from '../src/contracts/operations.ts';
import { createFeatures } from '../src/server/compose.ts';
import { createAdapters } from '../src/server/compose-adapters.ts';
import { appOptions } from '../src/server/compose-http.ts';
import { identifyCaller } from '../src/server/http/caller.ts';
import { readConfig } from '../src/server/kernel/config.ts';
import { createDatabase } from '../src/server/kernel/db/database.ts';
import { createLogger } from '../src/server/kernel/logger.ts';
import { setInitialFee } from '../tests/support/first-payment.ts';
import { median, type Result } from './result.ts';
import type { Stand } from './stand.ts';

const callsPerRound = 2_000;
const rounds = 7;
const targetMs = 0.3;

/** Authentication, permission and scope of one request, together, as the server does them before it reads a body. */
export async function measureCaller(stand: Stand): Promise<Result> {
  const config = readConfig({ ...stand.settings, ROLES: 'web' });
  const logger = createLogger({ level: 'silent' });
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
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const start = performance.now();
      for (let call = 0; call < callsPerRound; call += 1) {
        await identifyCaller(operation, request as unknown as Parameters<typeof identifyCaller>[1], deps);
      }
      // The first round warms up.
      if (round > 0) times.push((performance.now() - start) / callsPerRound);
    }
    const ms = median(times);
    return {
      name: 'authentication, permission and scope of a request',
      measured: `${ms.toFixed(2)} ms`,
      target: `≤ ${targetMs} ms`,
      passed: ms <= targetMs,
      figures: { ms },
    };
  } finally {
    await Promise.all([db.destroy(), systemDb.destroy()]);
  }
}
