import { contact } from '../support/account.ts';
import { csvFile, namedRow } from '../support/customer-file.ts';
import type { Deed } from './deeds.ts';
import { mapIn, possible, settleTo } from './memory.ts';

/** Customers: one by one, and from a file. */

const create: Deed = async (worker) => {
  const { msp, memory, client } = worker;
  const organization = `${worker.fresh('Customer ')} ${msp.name}`;
  const person = { ...contact, organization };
  const known = possible(mapIn(memory.customers, msp.organisationId), organization, 0);
  const ending = await client.ask<{ customerId: string }>('POST', 'customer', {
    contacts: { owner: person, admin: person, billing: person },
  });
  settleTo(known, 1, worker.told('customer created', ending));
  if (ending.how !== 'done') return;
  msp.customers.push({ id: ending.data.customerId, direct: false });
  memory.addresses.set(ending.data.customerId, new Set([contact.address1]));
};

const busy = new Set<string>();

const edit: Deed = async (worker) => {
  const { memory, msp, client } = worker;
  const { id } = worker.chance.one(msp.customers);
  const known = memory.addresses.get(id);
  if (!known || busy.has(id)) return;
  busy.add(id);
  const present = await client.ask<{ contacts: { owner: typeof contact }; version: number }>(
    'GET',
    `customer/${id}`,
  );
  if (present.how === 'done') {
    const { version, contacts } = present.data;
    const address1 = `${worker.chance.between(2, 99_999)} Main Street`;
    const owner = { ...contacts.owner, address1 };
    const body = { contacts: { ...contacts, owner }, ...(worker.chance.happens(0.5) ? { version } : {}) };
    settleTo(
      known,
      address1,
      worker.told('customer edited', await client.ask('PATCH', `customer/${id}`, body)),
    );
  }
  busy.delete(id);
};

const importFile: Deed = async (worker) => {
  const { msp, memory, client, stand } = worker;
  const grant = await client.ask<{ signedUrl: string; keyName: string }>('GET', 'customer/upload-csv-url');
  if (grant.how !== 'done') return;
  const mark = `${worker.fresh('File ')} ${msp.name}`;
  const names = Array.from({ length: worker.chance.between(5, 60) }, (_, row) => `${mark} row ${row}`);
  const put = () => {
    const { pathname, search } = new URL(grant.data.signedUrl);
    return fetch(`${worker.chance.one(stand.portals).url()}${pathname}${search}`, {
      method: 'PUT',
      headers: { 'content-type': 'text/csv' },
      body: csvFile(names.map((name) => namedRow(name))),
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null);
  };
  if (!((await put()) ?? (await put()))?.ok) return;
  const look = await client.ask<{ importId: string }>('POST', 'customer/upload-csv-finish', {
    ...{ key: grant.data.keyName, preview: true },
  });
  if (look.how !== 'done') return;
  const start = await client.ask('POST', `customer/import/${look.data.importId}/start`, { mode: 'all' });
  const how = worker.told('customer file imported', start);
  for (const name of names) {
    settleTo(possible(mapIn(memory.customers, msp.organisationId), name, 0), 1, how);
  }
};

export const peopleDeeds: [Deed, number][] = [
  [create, 1],
  [edit, 2],
  [importFile, 1],
];
