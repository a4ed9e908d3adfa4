/** What may stand behind the `?` of an address: the state of a table, the name that is looked up. */
export interface ScreenSearch {
  page?: number | undefined;
  sort?: string | undefined;
  search?: string | undefined;
  customer?: string | undefined;
  /** Of direct billing: the one that is looked at. */
  charge?: string | undefined;
  person?: string | undefined;
  /** Filters: what kind of line or record, first and last day. */
  kind?: string | undefined;
  /** Filter: what expires within so many days. */
  expiring?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The tab of a screen whose path does not name it. */
  tab?: string | undefined;
  /** The name that was asked for, and the one of its results that was picked. */
  name?: string | undefined;
  picked?: string | undefined;
  /** An uploaded file, and the character set it was said to be in. */
  file?: string | undefined;
  charset?: string | undefined;
  /** The invitation from which somebody came, and to which they go back. */
  invite?: string | undefined;
}

const textKeys = [
  'sort',
  'search',
  'customer',
  'charge',
  'person',
  'kind',
  'expiring',
  'from',
  'to',
  'tab',
  'name',
  'picked',
  'file',
  'charset',
  'invite',
] as const;
const longestText = 300;

/** Addresses are typed and shared: what is none of ours is left out, never an error. */
export function readSearch(given: Record<string, unknown>): ScreenSearch {
  const read: ScreenSearch = {};
  const page = Number(given.page);
  if (Number.isInteger(page) && page > 1 && page <= 1_000_000) read.page = page;
  for (const key of textKeys) {
    const value = given[key];
    if (value !== undefined && value !== null && value !== '')
      read[key] = String(value).slice(0, longestText);
  }
  return read;
}

/** Addresses hold plain texts, so that they can be read and typed. */
export function parseSearchText(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearchText(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
