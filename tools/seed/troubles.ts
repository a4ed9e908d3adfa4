import { csvColumns, requiredColumns } from '../../src/contracts/values/customer-csv.ts';
import { addOpenCertificates, servedElsewhere } from './certificates.ts';
import { demoDomains } from './companies.ts';
import { billedLast, startBilling } from './direct-billing.ts';
import { changeMany, moveMany } from './fleet.ts';
import { addMachines } from './machines.ts';
import { buy, buyAll, topUp } from './orders.ts';
import { inviteNewcomer } from './people.ts';
import { each, type Seeding, until, withKnobs } from './seeding.ts';

/** The last weeks: what goes wrong, waits, or needs somebody. */

const authCode = 'EPP-2468-move';
const transferStepMs = 5 * 86_400_000;

export async function runIntoTrouble(seeding: Seeding): Promise<void> {
  await seeding.on(23, 14.1, () => moveDnsAway(seeding));
  await seeding.on(21, 15.3, () => declinedTopUp(seeding));
  await seeding.on(19, 13.8, () => takenMeanwhile(seeding));
  await changeMany(seeding);
  await withKnobs(seeding.portal, { transferStepMs }, async () => {
    await transfers(seeding);
    await moveMany(seeding);
  });
  await seeding.on(3, 15.4, () => uploadFaultyFile(seeding));
  await addOpenCertificates(seeding);
  await seeding.on(1, 15.8, async () => {
    await startBilling(seeding, billedLast);
    await inviteNewcomer(seeding);
    await watchOthers(seeding);
    await addMachines(seeding);
  });
  await seeding.on(0, 0, async () => {
    await failedCharge(seeding);
    await disputedCharge(seeding);
  });
}

/** Some names are served by their owners' own DNS. */
async function moveDnsAway(seeding: Seeding): Promise<void> {
  const others = demoDomains.filter(({ rank, company }) => rank === 1 && company % 9 === 4);
  await each([...servedElsewhere, ...others.map(({ address }) => address)], async (address) => {
    const nameservers = ['ns1.ownserver.example.net', 'ns2.ownserver.example.net'];
    await seeding.call('employee', 'POST', `${address}/nameserver/update_nameservers`, { nameservers });
  });
}

/** Names that a customer has elsewhere, and one that was let go. */
async function watchOthers(seeding: Seeding): Promise<void> {
  const there = (domain: string, expiresInDays: number) => ({
    ...{ domain, expiresInDays, registrar: 'Northern Names GmbH', locked: true, ageDays: 2_000 },
    nameservers: ['ns1.northernnames.example.net', 'ns2.northernnames.example.net'],
  });
  await seeding.portal.control('registrar', 'outside-world', [
    there('harbourdental-implants.com', 12),
    there('harbourdental-praxis.com', 300),
  ]);
  const text = 'harbourdental-implants.com harbourdental-praxis.com harbourdental-smile.com';
  await seeding.call('employee', 'POST', 'health/watched', { text, customerId: seeding.customerIds[1] });
}

async function declinedTopUp(seeding: Seeding): Promise<void> {
  await topUp(seeding, 'owner', 400, 'pm_card_visa_chargeDeclinedInsufficientFunds');
}

/** Two names in one order; somebody else was faster with one of them: its money goes back. */
async function takenMeanwhile(seeding: Seeding): Promise<void> {
  const [taken, free] = ['brightsidechildcare-camp.com', 'brightsidechildcare-care.com'];
  await seeding.portal.control('registrar', 'faults', {
    action: 'SW_REGISTER',
    domain: taken,
    effect: 'taken',
  });
  const customerId = seeding.customerIds[9];
  const line = { customerId, period: 1, whois: true, autoRenew: true };
  const declined = await buy(seeding, 'employee', {
    domains: [taken, free].map((address) => ({ address, ...line })),
  });
  if (declined.length !== 1) throw new Error(`${taken} was to be refused.`);
}

/** One that is through, one with a wrong code, and two that wait for their owners. */
async function transfers(seeding: Seeding): Promise<void> {
  const [here, refused, asked, longer] = [
    ...(['tierarztlindenhof-notfall.com', 'redwoodaccounting-tax.com'] as const),
    ...(['harbourdental-clinic.com', 'vistatravel-tours.com'] as const),
  ];
  const coming = [here, refused, asked, longer].map((domain) => ({
    ...{ domain, locked: false, ageDays: 900, expiresInDays: 140, authCode },
  }));
  await seeding.portal.control('registrar', 'outside-world', coming);
  const advance = (domain: string, steps: number) =>
    seeding.portal.control('registrar', 'transfers/advance', { domain, steps });
  await seeding.on(16, 14.9, () => transfer(seeding, here, 7, authCode));
  await seeding.on(10, 9.2, async () => {
    await advance(here, 2);
    await reaches(seeding, here, 'completed');
  });
  await seeding.on(9, 13.7, () => transfer(seeding, refused, 6, 'EPP-wrong-code'));
  await seeding.on(8, 16.6, async () => {
    await advance(refused, 1);
    await reaches(seeding, refused, 'failed');
  });
  await seeding.on(4, 14.2, () => transfer(seeding, longer, 37, authCode));
  await seeding.on(2, 15.2, () => transfer(seeding, asked, 1, authCode));
}

async function transfer(seeding: Seeding, address: string, company: number, EPPCode: string): Promise<void> {
  const customerId = seeding.customerIds[company];
  await buy(seeding, 'employee', { domainTransfers: [{ address, customerId, EPPCode }] });
}

/** Looking at a transfer has the portal ask the registrar about it. */
function reaches(seeding: Seeding, domain: string, wanted: string): Promise<void> {
  return until(`the transfer of ${domain} is ${wanted}`, async () => {
    const { state } = await seeding.call<{ state: string }>('admin', 'GET', `domain/transfer/${domain}`);
    return state === wanted;
  });
}

/** A file of customers from another program, checked and not written: some of its rows cannot be. */
async function uploadFaultyFile(seeding: Seeding): Promise<void> {
  const granted = await seeding.call<{ signedUrl: string; keyName: string }>(
    ...(['employee', 'GET', 'customer/upload-csv-url'] as const),
  );
  const columns = csvColumns.filter((column) => requiredColumns.includes(column));
  const rows = fileRows.map((row) =>
    columns.map((column) => `"${row[column.split('_').at(-1) ?? ''] ?? 'false'}"`).join(','),
  );
  const body = [columns.join(','), ...rows].join('\r\n');
  const put = await fetch(granted.signedUrl, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body,
  });
  if (!put.ok) throw new Error(`The file of customers could not be uploaded: ${put.status}`);
  const checked = { key: granted.keyName, preview: true, fileName: 'customers-from-old-system.csv' };
  await seeding.call('employee', 'POST', 'customer/upload-csv-finish', checked);
}

const person = (
  organization: string,
  firstName: string,
  lastName: string,
  more: Record<string, string> = {},
) => ({
  ...{ organization, firstName, lastName, address1: '12 Station Road', city: 'Bristol', state: 'Bristol' },
  ...{ postalCode: 'BS1 4DJ', country: 'GB', phone: '+44 1174960123' },
  ...{ email: `${firstName.toLowerCase()}@${organization.toLowerCase().replaceAll(' ', '')}.example` },
  ...more,
});
const fileRows: readonly Record<string, string>[] = [
  person('Severn Cycles', 'Martha', 'Dean'),
  person('Cabot Ceramics', 'Lewis', 'Grant', { country: 'United Kingdom' }),
  person('Avon Locksmiths', 'Peter', 'Nash', { email: 'peter(at)avonlocksmiths.example' }),
  person('Clifton Framing', 'Joan', 'Ellis', { phone: '0117 496' }),
  person('Portishead Sailing', 'Greg', 'Hale'),
  person('Bedminster Bakes', 'Anya', 'Kowal', { postalCode: '' }),
];

/** The customer's card was stored and is declined now; the portal tries again by itself. */
async function failedCharge(seeding: Seeding): Promise<void> {
  const line = { customerId: seeding.customerIds[9], period: 1, whois: true, autoRenew: true };
  await buyAll(seeding, 'employee', { domains: [{ address: 'brightsidechildcare-open.com', ...line }] });
}

interface DirectCharge {
  state: string;
  paymentId: string | null;
  stopsCharges: boolean;
}

/** A customer disputes what they paid: what is bought for them afterwards stays open. */
async function disputedCharge(seeding: Seeding): Promise<void> {
  const customerId = seeding.customerIds[10];
  const charges = () =>
    seeding.call<DirectCharge[]>('admin', 'GET', `direct-charge?customerId=${customerId}`);
  const { id: account } = await seeding.call<{ id: string }>('admin', 'POST', 'account/refresh');
  const paid = (await charges()).find(({ state }) => state === 'succeeded');
  await seeding.portal.control('payments', 'dispute', { paymentIntent: paid?.paymentId, account });
  await until('the dispute stops charges', async () =>
    (await charges()).some(({ stopsCharges }) => stopsCharges),
  );
  const line = { customerId, period: 1, whois: true, autoRenew: true };
  await buyAll(seeding, 'employee', { domains: [{ address: 'meridianfreight-portal.com', ...line }] });
}

/** Registrants who have not confirmed their addresses, and a name whose time to do so is over. */
export async function leaveUnverified({ portal, call }: Seeding): Promise<void> {
  const open = [
    ...[{ domain: 'mesaazafran.com', status: 'unverified', daysLeft: 4 }],
    ...[{ domain: 'atelierjaune.com', status: 'unverified', daysLeft: 11 }],
    ...[{ domain: 'wrenandcompany.com', status: 'suspended', daysLeft: -2 }],
  ];
  for (const verification of open) {
    await portal.control('registrar', 'verify', verification);
    await call('admin', 'GET', `domain/details/${verification.domain}?type=all_info`);
  }
}
