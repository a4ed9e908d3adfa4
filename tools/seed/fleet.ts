import { demoDomains } from './companies.ts';
import { type Seeding, until } from './seeding.ts';

/** What is done with many domains at once: changes of zones, and lists of domains that come here. */

interface Change {
  state: string;
  counts: { ready: number };
}

/** One change that is done, and one that waits for somebody to look at its differences. */
export async function changeMany(seeding: Seeding): Promise<void> {
  const first = demoDomains.filter(({ rank }) => rank === 0).map(({ address }) => address);
  await seeding.on(12, 13.2, async () => {
    const id = await prepare(seeding, 'owner', {
      title: 'DMARC for everybody who has none',
      reason: 'Ticket 4471: stop forged invoices',
      request: {
        kind: 'set-dmarc',
        text: 'v=DMARC1; p=none; rua=mailto:dmarc@{domain}',
        where: 'missing',
      },
      targets: { kind: 'names', names: first.slice(0, 24) },
    });
    const { counts } = await seeding.call<Change>('owner', 'GET', `changes/${id}`);
    await seeding.call('owner', 'POST', `changes/${id}/apply`, { expected: counts.ready });
    await reaches(seeding, id, ['done', 'partly']);
  });
  await keepTemplates(seeding);
  await seeding.on(2, 15.1, async () => {
    await prepare(seeding, 'employee', {
      title: 'Second mail server moves',
      reason: 'Ticket 4502',
      request: {
        ...{ kind: 'replace-value', find: 'backup-mx.marshmanaged.example' },
        ...{ replacement: 'mx2.marshmanaged.example', part: false },
      },
      targets: { kind: 'names', names: [...first, 'not-ours.com'] },
    });
  });
}

async function prepare(seeding: Seeding, who: 'owner' | 'employee', change: object): Promise<string> {
  const { id } = await seeding.call<{ id: string }>(who, 'POST', 'changes', change);
  await reaches(seeding, id, ['ready']);
  return id;
}

function reaches(seeding: Seeding, id: string, states: readonly string[]): Promise<void> {
  return until(`a change of many domains is ${states.join(' or ')}`, async () => {
    const { state } = await seeding.call<Change>('owner', 'GET', `changes/${id}`);
    return states.includes(state);
  });
}

const noRecords = { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] };

interface Template {
  id: string;
  version: number;
  uses: { drifted: number };
}

/** Templates: one that zones hold, of which some have become otherwise since, and one that waits for its first use. */
async function keepTemplates(seeding: Seeding): Promise<void> {
  const names = demoDomains.filter(({ rank }) => rank === 0).map(({ address }) => address);
  const [first = '', second = ''] = names.slice(4, 14);
  const made = await seeding.on(9, 14.2, async () => {
    await seeding.call('owner', 'POST', 'dns/templates', {
      name: 'Status page',
      records: { ...noRecords, CNAME: [{ subdomain: 'status', hostname: 'status.marshmanaged.example' }] },
    });
    const template = await seeding.call<Template>('owner', 'POST', 'dns/templates', {
      name: 'Help desk',
      records: {
        ...noRecords,
        CNAME: [{ subdomain: 'support', hostname: 'desk.marshmanaged.example' }],
        TXT: [{ subdomain: '_helpdesk', text: 'desk-verification={account}' }],
      },
      variables: [{ key: 'account', label: 'Number of the account' }],
    });
    const { id: templateId, version } = template;
    const change = await prepare(seeding, 'owner', {
      title: 'Help desk for the first ten',
      reason: 'Ticket 4488',
      request: { kind: 'apply-template', templateId, version, values: { account: '4821' } },
      targets: { kind: 'names', names: names.slice(4, 14) },
    });
    const { counts } = await seeding.call<Change>('owner', 'GET', `changes/${change}`);
    await seeding.call('owner', 'POST', `changes/${change}/apply`, { expected: counts.ready });
    await reaches(seeding, change, ['done', 'partly']);
    return template;
  });
  await seeding.on(6, 16.2, async () => {
    const support = { type: 'CNAME', subdomain: 'support' };
    const ours = { ...support, hostname: 'desk.marshmanaged.example' };
    for (const [address, record] of [
      [
        first,
        {
          action: 'update',
          ...ours,
          hostname: 'desk.otherprovider.example',
          old: { hostname: ours.hostname },
        },
      ],
      [second, { action: 'remove', ...ours }],
    ] as const) {
      const reason = 'The customer asked for it by phone';
      await seeding.call('employee', 'PUT', `${address}/zone`, { records: [record], reason });
    }
    await seeding.call('employee', 'POST', `dns/templates/${made.id}/check`);
    await until('a template knows which zones have become otherwise', async () => {
      const templates = await seeding.call<Template[]>('owner', 'GET', 'dns/templates');
      return templates.some(({ id, uses }) => id === made.id && uses.drifted === 2);
    });
  });
}

const code = 'EPP-1357-list';
const elsewhere = ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'];

interface Move {
  counts: Record<string, number>;
  lines: { id: string; stage: string }[];
  total: number;
}

const ordered = ['-events', '-care', '-kids'].map((ending) => `brightsidechildcare${ending}-old.com`);
const hindered = ['wrenandcompany-law', 'wrenlegal', 'wren-archive', 'wrenandco', 'wrenchambers'].map(
  (word) => `${word}.com`,
);
/** What others serve of them. */
const records = {
  A: [{ ip_address: '203.0.113.5' }, { subdomain: 'www', ip_address: '203.0.113.5' }],
  MX: [{ hostname: 'mx.oldregistrar.net', priority: 10 }],
  TXT: [{ text: 'v=spf1 mx -all' }],
};

/** A list of a customer's domains that was ordered, and one in which something is in the way. */
export async function moveMany(seeding: Seeding): Promise<void> {
  const zones = [...ordered, ...hindered].map((domain) => ({ domain, records, axfr: true }));
  await seeding.portal.control('dns', 'zones', { zones });
  await seeding.on(2, 15.6, async () => {
    const { id, move } = await paste(seeding, 9, ordered, {});
    const lineIds = move.lines.filter(({ stage }) => stage === 'ready').map((line) => line.id);
    await seeding.call('admin', 'POST', `move/${id}/order`, { lineIds, price: move.total });
  });
  await seeding.on(1, 10.4, async () => {
    await paste(seeding, 38, hindered, {
      'wren-archive.com': { world: { locked: true } },
      'wrenchambers.com': { pasted: 'EPP' },
    });
  });
}

async function paste(
  seeding: Seeding,
  company: number,
  names: readonly string[],
  differing: Readonly<Record<string, { world?: object; pasted?: string }>>,
): Promise<{ id: string; move: Move }> {
  const { control } = seeding.portal;
  const coming = names.map((domain) => ({
    ...{ domain, authCode: code, nameservers: elsewhere, ageDays: 1_100, expiresInDays: 160 },
    ...differing[domain]?.world,
  }));
  await control('registrar', 'outside-world', coming);
  const { id } = await seeding.call<{ id: string }>('admin', 'POST', 'move', {
    customerId: seeding.customerIds[company],
    text: names.map((domain) => `${domain}, ${differing[domain]?.pasted ?? code}`).join('\n'),
  });
  let move: Move | undefined;
  await until('a list of transfers is checked', async () => {
    move = await seeding.call<Move>('admin', 'GET', `move/${id}`);
    return (move.counts.checking ?? 0) === 0;
  });
  if (!move) throw new Error('The list of transfers is gone.');
  return { id, move };
}
