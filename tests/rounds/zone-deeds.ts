import type { Deed, Worker } from './deeds.ts';
import { mapIn, possible, settleTo } from './memory.ts';

/** Records of zones: every name is one worker's at a time, so that it is known what each may be. */

interface Zone {
  version: string;
  records: { TXT: { subdomain: string; text: string }[] };
}

const busy = new Set<string>();

interface Label {
  domain: string;
  label: string;
  known: Set<string | null>;
}

function labelsOf({ memory }: Worker, domain: string): Label[] {
  return [...mapIn(memory.zones, domain)].map(([label, known]) => ({ domain, label, known }));
}

/** A record of which is known what it is, and that nobody is at. */
function settledLabel(worker: Worker, domain: string): (Label & { text: string }) | null {
  const free = labelsOf(worker, domain).filter(
    ({ label, known }) => known.size === 1 && !known.has(null) && !busy.has(`${domain} ${label}`),
  );
  if (free.length === 0) return null;
  const chosen = worker.chance.one(free);
  return { ...chosen, text: [...chosen.known][0] ?? '' };
}

async function alone(names: readonly string[], work: () => Promise<void>): Promise<void> {
  for (const name of names) busy.add(name);
  try {
    await work();
  } finally {
    for (const name of names) busy.delete(name);
  }
}

/** Most are busy with the same few zones: turns are waited for, versions grow old, leases are lost. */
function someZone(worker: Worker): string | null {
  const { domains } = worker.msp;
  return worker.chance.happens(0.8) ? (domains[0] ?? null) : worker.someDomain();
}

/** What the registrar may do instead of answering, and whether it can be asked what it did (docs/sandbox.md). */
const mishaps = ['drop-before', 'drop-after', 'timeout-after', 'garbage', '705-after', 'busy'];

async function mishap(worker: Worker, domain: string): Promise<void> {
  const effect = worker.chance.one(mishaps);
  const rules: object[] = [{ action: 'SET_DNS_ZONE', domain, effect }];
  if (worker.chance.happens(0.3))
    rules.push({ action: 'GET_DNS_ZONE', domain, effect: 'drop-before', times: 5 });
  await worker.stand.stack.control('registrar', 'faults', rules);
}

async function put(worker: Worker, domain: string, body: object) {
  if (worker.chance.happens(0.07)) await mishap(worker, domain);
  return worker.client.ask<Zone>('PUT', `${domain}/zone`, body);
}
const txt = (action: string, subdomain: string, text: string, more: object = {}) => ({
  ...{ action, type: 'TXT', subdomain, text },
  ...more,
});

const add: Deed = async (worker) => {
  const domain = someZone(worker);
  if (!domain) return;
  const label = worker.fresh('r');
  const known = possible(mapIn(worker.memory.zones, domain), label, null);
  await alone([`${domain} ${label}`], async () => {
    const ending = await put(worker, domain, { records: [txt('add', label, 'one')] });
    settleTo(known, 'one', worker.told('record added', ending));
  });
};

const change: Deed = async (worker) => {
  const domain = someZone(worker);
  const chosen = domain && settledLabel(worker, domain);
  if (!chosen) return;
  const { label, text, known } = chosen;
  await alone([`${domain} ${label}`], async () => {
    const next = worker.fresh('v');
    const ending = await put(worker, chosen.domain, {
      records: [txt('update', label, next, { old: { text } })],
    });
    settleTo(known, next, worker.told('record changed', ending));
    if (ending.how === 'refused' && ending.status === 400)
      worker.memory.faults.push(
        `14 ${label}.${domain} was "${text}" and could not be changed: ${ending.text}`,
      );
  });
};

const remove: Deed = async (worker) => {
  const domain = someZone(worker);
  const chosen = domain && settledLabel(worker, domain);
  if (!chosen) return;
  const { label, text, known } = chosen;
  await alone([`${domain} ${label}`], async () => {
    worker.memory.removals.add(`${domain} ${label}`);
    const ending = await put(worker, chosen.domain, { records: [txt('remove', label, text)] });
    settleTo(known, null, worker.told('record removed', ending));
    if (ending.how === 'refused' && ending.status === 400)
      worker.memory.faults.push(`14 ${label}.${domain} was "${text}" and was not there: ${ending.text}`);
  });
};

/** Preview of a file, then its records in one change, as the page does it. */
const importFile: Deed = async (worker) => {
  const domain = someZone(worker);
  if (!domain) return;
  const labels = Array.from({ length: worker.chance.between(3, 20) }, () => worker.fresh('i'));
  const text = labels.map((label) => `${label} 300 IN TXT "imported"`).join('\n');
  const preview = await worker.client.ask<{ version: string }>('POST', `${domain}/zone/import`, { text });
  if (preview.how !== 'done') return;
  const zone = mapIn(worker.memory.zones, domain);
  const ending = await put(worker, domain, {
    records: labels.map((label) => txt('add', label, 'imported')),
    ...{ version: preview.data.version, reason: 'Import' },
  });
  const how = worker.told('zone file imported', ending);
  for (const label of labels) settleTo(possible(zone, label, null), 'imported', how);
};

interface Contender {
  change: object;
  /** What the record is then. */
  value: string | null;
}

/** Ways to change a record: naming what was seen, by its name alone, and taking it away. */
function contender(worker: Worker, { domain, label, text }: Label & { text: string }): Contender {
  const value = worker.fresh('c');
  const ways: Contender[] = [
    { change: txt('update', label, value, { old: { text } }), value },
    { change: txt('update', label, value), value },
    { change: txt('remove', label, text), value: null },
  ];
  const way = worker.chance.one(ways);
  if (way.value === null) worker.memory.removals.add(`${domain} ${label}`);
  return way;
}

/** Two or three people saw the same version and change the same record: one of them at most is told that it is done. */
const contest: Deed = async (worker) => {
  const domain = someZone(worker);
  const chosen = domain && settledLabel(worker, domain);
  if (!chosen) return;
  const { label, known } = chosen;
  await alone([`${domain} ${label}`], async () => {
    const seen = await worker.client.ask<Zone>('GET', `${domain}/zone`);
    if (seen.how !== 'done') return;
    const { version } = seen.data;
    const contenders = Array.from({ length: worker.chance.between(2, 3) }, () => contender(worker, chosen));
    const endings = await Promise.all(
      contenders.map(({ change }) => put(worker, chosen.domain, { records: [change], version })),
    );
    const taken = contenders.filter((_, index) => endings[index]?.how === 'done');
    const values = new Set(taken.map(({ value }) => value));
    if (values.size > 1)
      worker.memory.faults.push(
        `14 two changes of ${label}.${domain}, as it was seen before both, were taken: ${[...values].join()}`,
      );
    // Who was told that it is done saw the record untouched: nobody's change comes after it without being told.
    if (taken[0]) {
      const how = worker.told('contested record changed', { how: 'done', data: null });
      settleTo(known, taken[0].value, how);
      return;
    }
    for (const [index, { value }] of contenders.entries()) {
      if (endings[index]?.how === 'unknown') known.add(value);
    }
  });
};

export const zoneDeeds: [Deed, number][] = [
  [add, 8],
  [change, 4],
  [remove, 2],
  [importFile, 2],
  [contest, 3],
];
