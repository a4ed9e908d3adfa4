import { systemClock } from '../src/server/kernel/clock.ts';
import { readConfig } from '../src/server/kernel/config.ts';
import { withSeal } from '../src/server/kernel/db/bound-seal.ts';
import { createDatabase, inTransaction } from '../src/server/kernel/db/database.ts';
import { newId } from '../src/server/kernel/ids.ts';
import { createSeal } from '../src/server/kernel/seal.ts';
import { composeAcme, listenAcme, openFleet } from '../tests/support/acme-features.ts';
import { instantAuthority } from '../tests/support/instant-authority.ts';

/** The portal's ACME server with an authority that takes no time, as a program of its own. */
const config = readConfig(process.env);
const seal = createSeal(config.sealKeys);
const db = withSeal(createDatabase({ url: config.database.tenants, maxConnections: 20 }), seal);
const systemDb = withSeal(createDatabase({ url: config.database.system, maxConnections: 10 }), seal);
/** Nothing has to be proven, and so nothing is looked up. */
const silent = async () => [];
const resolver = {
  ...{ nameservers: silent, txt: silent, cname: silent, addresses: silent, mx: silent, caa: silent },
};
const features = composeAcme({
  ...{ database: { db, systemDb }, config, clock: systemClock },
  adapters: { registrar: await instantAuthority(), resolver },
});
const { scope, access } = await openFleet({ db, systemDb }, features, 100_000);
const domain = `bench-${newId().slice(-12)}.com`;
await inTransaction(db, scope, (tx) =>
  tx
    .insertInto('domains')
    .values({
      ...{ id: newId(), organisation_id: scope.organisationId, customer_id: scope.customerId },
      ...{ address: domain, status: 'active', nameservers: [...config.registrar.nameservers] },
    })
    .execute(),
);
await listenAcme(features.acme, config);
process.on('SIGTERM', () => process.exit(0));
const { keyId, key } = access;
const directory = `${config.publicUrl}/acme/directory`;
console.log(JSON.stringify({ ready: true, directory, keyId, key, domain }));
