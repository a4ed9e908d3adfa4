/** What names there are, what they cost, and those that are ours. Asked of every registrar. */
export interface RegistrarNames {
  /** Asks the registry when `fresh`, else the registrar's cache may answer. */
  lookup(domain: string, options?: { fresh?: boolean }): Promise<Lookup>;
  /** Names like `searchText`, in the given suffixes (without dot), available and taken ones. */
  suggest(searchText: string, options: { suffixes: string[]; maximum: number }): Promise<Suggestion[]>;
  /** Our cost for the whole period in integer cents. */
  quote(domain: string, kind: QuoteKind, years: number): Promise<Quote>;
  /** null: the name is not in our account. */
  domain(domain: string): Promise<RegistrarDomain | null>;
  /** Names that expire in the span (inclusive days), page by page. */
  expiring(from: Date, to: Date): AsyncIterable<{ domain: string; expiresAt: Date; autoRenew: boolean }>;
}

export interface Lookup {
  status: 'available' | 'taken';
  /** The registrar's remark, e.g. "Reserved Name". */
  reason: string | null;
}

export interface Suggestion {
  domain: string;
  status: 'available' | 'taken';
  /** Set for premium names only, in cents a year. */
  premiumCents: number | null;
}

export type QuoteKind = 'new' | 'renewal' | 'transfer';

export interface Quote {
  costCents: number;
  premium: boolean;
}

export interface Contact {
  firstName: string;
  lastName: string;
  organization: string;
  address1: string;
  address2?: string | undefined;
  address3?: string | undefined;
  city: string;
  state: string;
  postalCode: string;
  /** ISO 3166 alpha-2. */
  country: string;
  email: string;
  /** `+1.4165550123`, optional `x123`. */
  phone: string;
}

export interface ContactSet {
  owner: Contact;
  admin: Contact;
  billing: Contact;
  tech: Contact;
}

export interface RegistrarDomain {
  domain: string;
  registeredAt: Date | null;
  /** Expiry at the registry, which counts. */
  expiresAt: Date | null;
  updatedAt: Date | null;
  transferredAt: Date | null;
  autoRenew: boolean;
  letExpire: boolean;
  locked: boolean;
  privacy: boolean | null;
  nameservers: string[];
  contacts: Partial<ContactSet>;
  tag: string | null;
}
