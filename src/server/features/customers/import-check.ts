import type { FieldError } from '#contracts/errors.ts';
import type { ImportRow, RowKind } from '#contracts/operations/customer-import.ts';
import type { Contact } from '#contracts/values/contact.ts';
import {
  type ContactKind,
  type CustomerRow,
  csvContactFields,
  problemColumn,
  type RowFault,
  readCustomerRow,
  suggestionColumn,
} from '#contracts/values/customer-csv.ts';
import { learnCountryNames } from '#contracts/values/meant.ts';
import type { Markup, Markups } from '#contracts/values/money.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import { slices } from '#kernel/give-way.ts';
import type { CsvRecord } from './csv-reading.ts';
import type { CustomerState } from './customers.repo.ts';

/** A customer that a row may be about. */
export interface Known {
  customerId: string;
  version: number;
  key: string;
  state: CustomerState;
}

/** A row of the file with what it would do; as it is kept until it is written or thrown away. */
export interface CheckedRow {
  number: number;
  cells: string[];
  kind: RowKind;
  organization: string;
  customerId: string | null;
  version: number | null;
  matchKey: string;
  state: CustomerState | null;
  notes: ImportRow['faults'] | ImportRow['changes'];
}

export interface CheckInput {
  columns: readonly string[];
  records: readonly CsvRecord[];
  /** Columns that the file does not have: their one value is for new customers. */
  assumed: readonly string[];
  /** Living customers by id and by key, as far as the rows can be about them. */
  find: (wanted: { ids: string[]; keys: string[] }) => Promise<Known[]>;
  newId: () => string;
  /** What the person may not write, by column. */
  refuse: (before: CustomerState | null, after: CustomerState) => readonly FieldError[];
}

interface ReadRow {
  record: CsvRecord;
  row: CustomerRow | null;
  faults: RowFault[];
  organization: string;
  key: string;
}

/** Says of each row what it would do: make a customer, change one, nothing, or why it cannot be taken. */
export async function checkRows(input: CheckInput): Promise<CheckedRow[]> {
  const giveWay = slices();
  while (learnCountryNames()) await giveWay();
  const read: ReadRow[] = [];
  for (const record of input.records) {
    await giveWay();
    read.push(readRecord(input.columns, record));
  }
  refuseRepeats(read);
  const good = read.flatMap(({ row, key }) => (row ? [{ id: row.customerId, key }] : []));
  const known = await input.find({
    ids: good.flatMap(({ id }) => (id ? [id] : [])),
    keys: good.flatMap(({ id, key }) => (id ? [] : [key])),
  });
  const byId = new Map(known.map((customer) => [customer.customerId, customer]));
  const byKey = Map.groupBy(known, (customer) => customer.key);
  const claimed = new Map<string, number>();
  // Of a customer that exists the one value for all rows says nothing either (decisions no. 284).
  const inFile = new Set(input.columns.filter((name) => !input.assumed.includes(name)));
  const checked: CheckedRow[] = [];
  for (const one of read) {
    await giveWay();
    checked.push(classify(one, { byId, byKey, claimed, inFile, input }));
  }
  return checked;
}

/** As `customer_match_key` of the database makes it. */
export function matchKey(owner: { organization: string; email: string }): string {
  return `${owner.organization}\n${owner.email}`.normalize('NFC').toLowerCase();
}

function readRecord(columns: readonly string[], record: CsvRecord): ReadRow {
  const cells = new Map<string, string>();
  columns.forEach((name, index) => {
    if (name !== problemColumn && name !== suggestionColumn) cells.set(name, record.cells[index] ?? '');
  });
  const { row, faults } = readCustomerRow(cells);
  if (record.cells.slice(columns.length).some((cell) => cell !== '')) {
    faults.push(fault('', 'The row has more cells than there are columns'));
  }
  const id = cells.get('customerId');
  if (id && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) faults.push(unknownId(id));
  const organization = cells.get('contacts_owner_organization') ?? '';
  const email = cells.get('contacts_owner_email') ?? '';
  return {
    record,
    faults,
    organization: organization.slice(0, 200),
    row: faults.length > 0 ? null : row,
    key: matchKey(row?.contacts.owner ?? { organization, email }),
  };
}

/** Two rows for one customer contradict each other, or would make it twice. */
function refuseRepeats(rows: ReadRow[]): void {
  const first = new Map<string, number>();
  for (const one of rows) {
    if (!one.row) continue;
    const name = one.row.customerId ?? one.key;
    const before = first.get(name);
    if (before === undefined) first.set(name, one.record.number);
    else reject(one, fault('', `Row ${before} is for the same customer`));
  }
}

function reject(one: ReadRow, because: RowFault): void {
  one.faults.push(because);
  one.row = null;
}

const fault = (column: string, reason: string, value = '', suggestion: string | null = null): RowFault => ({
  column,
  value,
  reason,
  suggestion,
});
const unknownId = (id: string) =>
  fault(
    'customerId',
    'There is no customer with this id. Leave the cell empty to create a new customer',
    id.slice(0, 100),
    '',
  );

interface Context {
  byId: ReadonlyMap<string, Known>;
  byKey: ReadonlyMap<string, Known[]>;
  claimed: Map<string, number>;
  /** Columns that the file itself has. */
  inFile: ReadonlySet<string>;
  input: CheckInput;
}

function classify(one: ReadRow, context: Context): CheckedRow {
  const target = one.row ? targetOf(one, one.row, context) : null;
  const { row } = one;
  const base = { number: one.record.number, cells: one.record.cells, organization: one.organization };
  if (!row) return faulty(one, base);
  const { input } = context;
  const state = target ? stateAfter(row, target.state, context.inFile) : stateOfNew(row);
  const refused = input.refuse(target?.state ?? null, state);
  if (refused.length > 0) {
    for (const { path, message } of refused) one.faults.push(fault(path.replaceAll('.', '_'), message));
    return faulty(one, base);
  }
  const matched = { ...base, matchKey: one.key, state };
  if (!target) {
    return { ...matched, kind: 'new', customerId: input.newId(), version: null, notes: [] };
  }
  const parts = changedParts(target.state, state);
  return {
    ...matched,
    kind: parts ? 'changed' : 'same',
    customerId: target.customerId,
    version: target.version,
    notes: parts ? changesIn(parts.before, parts.after) : [],
  };
}

function faulty(one: ReadRow, base: Pick<CheckedRow, 'number' | 'cells' | 'organization'>): CheckedRow {
  return {
    ...base,
    kind: 'faulty',
    customerId: null,
    version: null,
    matchKey: one.key,
    state: null,
    notes: one.faults.map((found) => ({ ...found, value: found.value.slice(0, 200) })),
  };
}

/** The customer a row is about; null for a new one. Rows that cannot be told apart are rejected. */
function targetOf(one: ReadRow, row: CustomerRow, { byId, byKey, claimed }: Context): Known | null {
  const found = row.customerId ? [byId.get(row.customerId.toLowerCase())] : (byKey.get(one.key) ?? []);
  const [target, ...more] = found;
  if (row.customerId && !target) reject(one, unknownId(row.customerId));
  else if (more.length > 0) {
    const reason =
      'Several customers have this organization and email. Please enter the id of the one you mean';
    reject(one, fault('customerId', reason));
  } else if (target) {
    const before = claimed.get(target.customerId);
    if (before !== undefined) reject(one, fault('', `Row ${before} is for the same customer`));
    claimed.set(target.customerId, one.record.number);
  }
  return target ?? null;
}

/** What the file has no columns for is the owner's, or off. */
function stateOfNew({ contacts, billing, markups, allowDomainSettings }: CustomerRow): CustomerState {
  const { owner, admin, billing: payer } = contacts;
  return {
    contacts: { owner, admin: admin ?? owner, billing: payer ?? owner },
    billing,
    markups,
    allowDomainSettings: allowDomainSettings ?? false,
  };
}

/** Each value whose own column the file does not have stays as it is, the type of a markup apart from its value. */
function stateAfter(row: CustomerRow, before: CustomerState, inFile: ReadonlySet<string>): CustomerState {
  const said = stateOfNew(row);
  const value = <T>(column: string, own: T, former: T): T => (inFile.has(column) ? own : former);
  // An empty cell of Admin or Billing says the owner as they are afterwards, which the row alone does not know.
  const contact = (kind: ContactKind, owner: Contact): Contact => {
    const former = before.contacts[kind];
    const after: Partial<Record<keyof Contact, string | undefined>> = {};
    for (const field of csvContactFields) {
      const column = `contacts_${kind}_${field}`;
      const own = row.asOwner.has(column) ? owner : said.contacts[kind];
      after[field] = value(column, own[field], former[field]);
    }
    return { ...former, ...after } as Contact;
  };
  const owner = contact('owner', said.contacts.owner);
  const markup = (group: keyof Markups, price: keyof Markups['domain']): Markup => {
    const [own, former] = [said.markups[group][price], before.markups[group][price]];
    const name = `markups_${group}_${price}`;
    return {
      type: value(`${name}_type`, own.type, former.type),
      value: value(`${name}_value`, own.value, former.value),
    };
  };
  const { billing } = said;
  const former = before.billing;
  return {
    contacts: { owner, admin: contact('admin', owner), billing: contact('billing', owner) },
    billing: {
      billDirectly: value('billing_billDirectly', billing.billDirectly, former.billDirectly),
      email: value('billing_email', billing.email, former.email),
      allowChangeBilling: value(
        'billing_allowChangeBilling',
        billing.allowChangeBilling,
        former.allowChangeBilling,
      ),
    },
    markups: {
      domain: { purchase: markup('domain', 'purchase'), renewal: markup('domain', 'renewal') },
      certificate: { purchase: markup('certificate', 'purchase'), renewal: markup('certificate', 'renewal') },
    },
    allowDomainSettings: value('allowDomainSettings', said.allowDomainSettings, before.allowDomainSettings),
  };
}

/** `contacts.owner.city`: Oslo -> Rome, one entry for each leaf. */
function changesIn(before: unknown, after: unknown, path = ''): ImportRow['changes'] {
  if (after !== null && typeof after === 'object') {
    const was = (before ?? {}) as Record<string, unknown>;
    return Object.entries(after).flatMap(([key, inner]) =>
      changesIn(was[key], inner, path ? `${path}.${key}` : key),
    );
  }
  const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));
  return [{ field: path, before: text(before), after: text(after) }];
}
