import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/contracts/errors.ts';
import type { DnsRecord } from '../../src/contracts/values/dns-records.ts';
import { recordKey } from '../../src/contracts/values/dns-records.ts';
import { flatRecords, type ZoneChange } from '../../src/contracts/values/zone-changes.ts';
import type { DnsApi } from '../../src/server/features/dns/index.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createPeople, type People } from '../support/people.ts';
import { dnsProcess, noRecords, ownDomain, ZoneRegistrar } from '../support/zone-registrar.ts';
import { createRandom } from './simulated-registrar.ts';

let database: TestDatabase;
let people: People;

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());

const rounds = 1_000;
const zonesAtOnce = 5;

interface Editor {
  dns: DnsApi;
  scope: Scope;
  domain: string;
  name: string;
  random: () => number;
  /** The records that they added and did not remove. */
  own: Map<string, DnsRecord>;
}

/** One change of their own records: mostly something new, at names that the other one uses too. */
function nextChange(editor: Editor, round: number): ZoneChange {
  const { own, name, random } = editor;
  const some = [...own.values()][Math.floor(random() * own.size)];
  if (some && random() < 0.3) return { action: 'remove', record: some };
  if (some?.type === 'TXT' && random() < 0.3) {
    return { action: 'update', old: some, record: { ...some, text: `${name} ${round} again` } };
  }
  const subdomain = ['', 'a', 'b'][Math.floor(random() * 3)] ?? '';
  return { action: 'add', record: { type: 'TXT', subdomain, text: `${name} ${round}` } };
}

function remember(own: Map<string, DnsRecord>, change: ZoneChange): void {
  if (change.action === 'remove') own.delete(recordKey(change.record));
  if (change.action === 'update' && change.old) own.delete(recordKey(change.old));
  if (change.action !== 'remove') own.set(recordKey(change.record), change.record);
}

/** Saves through the API, which names changes only. */
async function save(editor: Editor, round: number): Promise<void> {
  const change = nextChange(editor, round);
  await editor.dns.zones.change(editor.scope, editor.domain, { records: [change] });
  remember(editor.own, change);
}

/** Saves from a screen that shows an older state, and decides again when told of a conflict. */
async function saveFromScreen(editor: Editor, round: number, shown: string): Promise<string> {
  const change = nextChange(editor, round);
  for (let version = shown; ; ) {
    try {
      const zone = await editor.dns.zones.change(editor.scope, editor.domain, { records: [change], version });
      remember(editor.own, change);
      return zone.version;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'zone_changed') throw error;
      version = (error.data as { theirs: { version: string } }).theirs.version;
    }
  }
}

test('two editors on one zone, one through the API, lose no record in 1,000 random interleavings', {
  // For what hangs: a busy machine needs minutes.
}, async () => {
  const { scope } = await people.organisation();
  const seed = 20_261_121;
  const random = createRandom(seed);
  const registrar = new ZoneRegistrar(async () => {
    for (let turn = Math.floor(random() * 3); turn > 0; turn -= 1) await new Promise(setImmediate);
  });
  const zones = Array.from({ length: zonesAtOnce }, async (_unused, index) => {
    const domain = `zone${index}.com`;
    await ownDomain(database, scope, domain);
    registrar.zones.set(domain, structuredClone(noRecords));
    const editor = (name: string, nth: number): Editor => ({
      // Its own random source, so that an editor does the same in every run, whenever their turn comes.
      ...{ scope, domain, name, random: createRandom(seed + 2 * index + nth), own: new Map() },
      dns: dnsProcess(database, registrar, people),
    });
    const [api, screen] = [editor('api', 1), editor('screen', 2)];
    let shown = (await screen.dns.zones.read(scope, domain)).version;
    for (let round = 0; round < rounds / zonesAtOnce; round += 1) {
      const [, version] = await Promise.all([save(api, round), saveFromScreen(screen, round, shown)]);
      shown = version;
    }
    const kept = flatRecords((await api.dns.zones.read(scope, domain)).records).map(recordKey);
    expect(kept.sort()).toEqual([...api.own.keys(), ...screen.own.keys()].sort());
    expect(kept.length).toBeGreaterThan(50);
  });
  await Promise.all(zones);
  const versions = await dnsProcess(database, registrar, people).zones.versions(scope, 'zone0.com');
  expect(versions.filter(({ state }) => state !== 'applied')).toHaveLength(1);
});
