import { type CreateCustomerBody, type Customer, createCustomerBody } from '../operations/customers.ts';
import { type Contact, contact, requiredMessage } from './contact.ts';
import { suggestedContactValue } from './contact-suggestions.ts';
import { regionMeant, truthMeant } from './meant.ts';
import { type Markups, noMarkups } from './money.ts';
import { isInternational, readPhone } from './phone.ts';

/** The customer list as a file (P1 §5, P2 §5): its columns, how a row is read and how one is written. */

/** Larger files are refused before they are read (design: CSV import). */
export const csvLimits = {
  bytes: 5_000_000,
  rows: 10_000,
  recordBytes: 16_000,
  /** Exports of other programs have hundreds that nobody reads. */
  columns: 500,
} as const;

export type ContactKind = 'owner' | 'admin' | 'billing';
const kinds: readonly ContactKind[] = ['owner', 'admin', 'billing'];
const requiredFields = [
  ...['firstName', 'lastName', 'address1', 'country', 'email', 'city', 'state', 'organization', 'phone'],
  'postalCode',
] as const satisfies readonly string[] as readonly (keyof Contact)[];
const optionalFields = ['address2', 'address3'] as const;
/** The fields of a contact that have columns. */
export const csvContactFields: readonly (keyof Contact)[] = [...requiredFields, ...optionalFields];
const markupGroups = ['domain', 'certificate'] as const;
const markupPrices = ['purchase', 'renewal'] as const;

export const requiredColumns: readonly string[] = [
  ...requiredFields.map((field) => `contacts_owner_${field}`),
  'billing_billDirectly',
  'billing_allowChangeBilling',
];

/** Every column that is understood, in the order in which files are written. */
export const csvColumns: readonly string[] = [
  'customerId',
  ...kinds.flatMap((kind) => csvContactFields.map((field) => `contacts_${kind}_${field}`)),
  'billing_billDirectly',
  'billing_allowChangeBilling',
  'billing_email',
  ...markupGroups.flatMap((group) =>
    markupPrices.flatMap((price) => [`markups_${group}_${price}_type`, `markups_${group}_${price}_value`]),
  ),
  'allowDomainSettings',
];
/** What the file of rejected rows has more; read again it says nothing. */
export const problemColumn = 'import_problem';
export const suggestionColumn = 'import_suggestion';
/** A column of other programs that holds first and last name; it is never in our own files. */
export const wholeName = 'contacts_owner_wholeName';

const known = new Set([...csvColumns, problemColumn, suggestionColumn]);

/** Columns of a file that the import does not read: said, so that a misspelt one is noticed. */
export function unreadColumns(columns: readonly string[]): string[] {
  return columns.filter((name) => name !== '' && !known.has(name));
}

/** What is wrong with one cell, and what could stand there instead. */
export interface RowFault {
  column: string;
  value: string;
  reason: string;
  suggestion: string | null;
}

/**
 * What a row says of a new customer. Admin and Billing that the file has no columns for are null. A customer that exists
 * keeps each value whose own column is absent (decisions no. 40).
 */
export interface CustomerRow {
  customerId: string | null;
  /** Columns of Admin and Billing whose empty cells were filled from the owner's. */
  asOwner: ReadonlySet<string>;
  contacts: { owner: Contact; admin: Contact | null; billing: Contact | null };
  billing: CreateCustomerBody['billing'];
  markups: Markups;
  allowDomainSettings: boolean | null;
}

export type Cells = ReadonlyMap<string, string>;

/** Reads one row by the rules of the form and the API. Faults stand at the cells that have them. */
export function readCustomerRow(cells: Cells): { row: CustomerRow | null; faults: RowFault[] } {
  const faults: RowFault[] = [];
  const complain = (column: string, reason: string, suggestion: string | null = null) =>
    faults.push({ column, value: cells.get(column) ?? '', reason, suggestion });
  const contacts = contactsIn(cells);
  const body = {
    billing: {
      billDirectly: booleanIn(cells, 'billing_billDirectly', complain),
      allowChangeBilling: booleanIn(cells, 'billing_allowChangeBilling', complain),
      email: cells.get('billing_email') ?? '',
    },
    markups: markupsIn(cells, complain),
  };
  const allowDomainSettings = cells.has('allowDomainSettings')
    ? booleanIn(cells, 'allowDomainSettings', complain, false)
    : null;
  const parsed = parseBody(body, contacts);
  for (const { path, message } of parsed.issues) {
    const column = path.join('_');
    // A cell that was filled from the owner's has the owner's fault, told there.
    if (/^contacts_(admin|billing)_/.test(column) && !cells.get(column)) continue;
    // The first rule that a cell breaks is the one to tell.
    if (faults.some((fault) => fault.column === column)) continue;
    complain(column, message, suggestionFor(column, cells));
  }
  if (!parsed.data || faults.length > 0) return { row: null, faults };
  const { owner, admin, billing } = parsed.data.contacts;
  return {
    faults,
    row: {
      customerId: cells.get('customerId') || null,
      asOwner: contacts.asOwner,
      contacts: { owner, admin: contacts.admin && admin, billing: contacts.billing && billing },
      billing: parsed.data.billing,
      markups: parsed.data.markups ?? noMarkups,
      allowDomainSettings,
    },
  };
}

/** The cells of a customer in the order of `csvColumns`; contacts that are the owner's stay empty. */
export function customerCells(customer: Customer): string[] {
  const { owner } = customer.contacts;
  const cells = [customer.customerId];
  for (const kind of kinds) {
    const shown = customer.contacts[kind];
    const isOwners =
      kind !== 'owner' &&
      (shown === owner || csvContactFields.every((field) => textOf(shown[field]) === textOf(owner[field])));
    for (const field of csvContactFields) {
      const value = isOwners ? '' : textOf(shown[field]);
      cells.push(field === 'phone' ? value.replace('.', ' ') : value);
    }
  }
  const { billDirectly, allowChangeBilling, email } = customer.billing;
  cells.push(String(billDirectly), String(allowChangeBilling), email);
  for (const group of markupGroups) {
    for (const price of markupPrices) {
      const { type, value } = customer.markups[group][price];
      cells.push(type, String(value));
    }
  }
  cells.push(String(customer.allowDomainSettings));
  return cells;
}

/** A stored field that is no text (another program's row) leaves its cell empty and the rest of the file whole. */
const textOf = (stored: unknown): string => (typeof stored === 'string' ? stored : '');

type RawContact = Record<string, string | undefined>;

/** P1 §5: empty admin and billing columns are copied from the owner; without the columns there is nothing to copy. */
function contactsIn(cells: Cells): {
  owner: RawContact;
  admin: RawContact | null;
  billing: RawContact | null;
  asOwner: ReadonlySet<string>;
} {
  const owner = ownCells(cells, 'owner');
  const asOwner = new Set<string>();
  const other = (kind: ContactKind): RawContact | null => {
    const column = (field: string) => `contacts_${kind}_${field}`;
    if (!csvContactFields.some((field) => cells.has(column(field)))) return null;
    const own = ownCells(cells, kind);
    const empty = csvContactFields.filter((field) => !cells.get(column(field)));
    const isOwner = empty.length === csvContactFields.length;
    for (const field of isOwner ? empty : empty.filter((field) => requiredFields.includes(field))) {
      own[field] = owner[field];
      asOwner.add(column(field));
    }
    return isOwner ? owner : own;
  };
  return { owner, admin: other('admin'), billing: other('billing'), asOwner };
}

function ownCells(cells: Cells, kind: ContactKind): RawContact {
  const own: RawContact = {};
  for (const field of requiredFields) own[field] = cells.get(`contacts_${kind}_${field}`) ?? '';
  for (const field of optionalFields) own[field] = cells.get(`contacts_${kind}_${field}`) || undefined;
  own.phone = storedPhone(own.phone ?? '');
  // "California" and "CA" say the same.
  own.state = regionMeant(own.country ?? '', own.state ?? '') ?? own.state;
  return own;
}

/** "+cc nnnnnnnnnn" and any other form that names its country to the stored one; the rest is for the rule to refuse. */
function storedPhone(text: string): string {
  const specified = text.replace(/^(\+\d{1,4}) (\d+(?:x\d+)?)$/, '$1.$2');
  return specified === text && isInternational(text) ? (readPhone(text) ?? text) : specified;
}

type Complain = (column: string, reason: string, suggestion?: string | null) => void;

function booleanIn(cells: Cells, column: string, complain: Complain, required = true): boolean {
  const text = cells.get(column) ?? '';
  if (text === '') {
    if (required) complain(column, requiredMessage, 'false');
    return false;
  }
  const value = truthMeant(text);
  // What a word that is not known was meant to say is not to be guessed.
  if (value === null) complain(column, 'Please write true or false');
  return value === true;
}

function markupsIn(cells: Cells, complain: Complain): Markups {
  const one = (group: string, price: string): Markups['domain']['purchase'] => {
    const name = `markups_${group}_${price}`;
    const type = (cells.get(`${name}_type`) ?? '').toLowerCase() || 'percentage';
    const text = cells.get(`${name}_value`) || '0';
    if (type !== 'percentage' && type !== 'fixed') {
      complain(`${name}_type`, 'Please write percentage or fixed', 'percentage');
    }
    const number = /^\d{1,5}(\.\d+)?$/.test(text) ? Number(text) : null;
    const cleaned = text.replace(',', '.').replace(/[^\d.]/g, '');
    if (number === null) {
      const usable = /^\d{1,5}(\.\d{1,2})?$/.test(cleaned);
      complain(`${name}_value`, 'Please write a number such as 12.5', usable ? cleaned : null);
    }
    return { type: type === 'fixed' ? 'fixed' : 'percentage', value: number ?? 0 };
  };
  return {
    domain: { purchase: one('domain', 'purchase'), renewal: one('domain', 'renewal') },
    certificate: { purchase: one('certificate', 'purchase'), renewal: one('certificate', 'renewal') },
  };
}

interface Parsed {
  data: CreateCustomerBody | null;
  issues: { path: PropertyKey[]; message: string }[];
}

/** The contract's own schema. Contacts that are the owner's need no second look. */
function parseBody(body: Record<string, unknown>, contacts: ReturnType<typeof contactsIn>): Parsed {
  const owner = contact.safeParse(contacts.owner);
  const parsed: Parsed = { data: null, issues: [] };
  const say = (error: { issues: Parsed['issues'] } | undefined, ...at: string[]) =>
    parsed.issues.push(
      ...(error?.issues ?? []).map(({ path, message }) => ({ path: [...at, ...path], message })),
    );
  say(owner.error, 'contacts', 'owner');
  const other = (kind: 'admin' | 'billing') => {
    const own = contacts[kind];
    if (own === null || own === contacts.owner) return owner.data;
    const found = contact.safeParse(own);
    say(found.error, 'contacts', kind);
    return found.data;
  };
  const [admin, billing] = [other('admin'), other('billing')];
  const rest = restOfBody.safeParse(body);
  say(rest.error);
  if (owner.data && admin && billing && rest.data) {
    parsed.data = { ...rest.data, contacts: { owner: owner.data, admin, billing } };
  }
  return parsed;
}
const restOfBody = createCustomerBody.omit({ contacts: true });

/** What could stand in a refused cell; a contact's own empty cells are filled from the owner's. */
function suggestionFor(column: string, cells: Cells): string | null {
  const [part, kind, field = ''] = column.split('_');
  const cell = (name: string) => cells.get(`contacts_${kind}_${name}`) || cells.get(`contacts_owner_${name}`);
  if (part === 'contacts') {
    const given = Object.fromEntries(csvContactFields.map((name) => [name, cell(name)]));
    const offered = suggestedContactValue(field as keyof Contact, { ...given, [field]: cells.get(column) });
    return field === 'phone' && offered ? offered.replace('.', ' ') : offered;
  }
  if (column === 'billing_email') return suggestedContactValue('email', { email: cells.get(column) });
  return null;
}
