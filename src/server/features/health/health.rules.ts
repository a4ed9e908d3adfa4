import type { HealthKind } from '#contracts/values/health.ts';

/**
 * What is wrong with a domain, from what DNS and the registry say of it. `undefined` in a fact: nobody answered. Such a fact
 * decides nothing, so a finding is neither raised nor cleared by it.
 */

/** One answer, or none. */
export type Answer<T> = T | undefined;

export interface Facts {
  /** As the registrar has them. */
  registered: { nameservers: readonly string[]; locked: boolean | null };
  /** As DNS says. */
  nameservers: Answer<readonly string[]>;
  /** Addresses by nameserver. */
  nameserverAddresses: ReadonlyMap<string, Answer<readonly string[]>>;
  addresses: Answer<readonly string[]>;
  mx: Answer<readonly { host: string; priority: number }[]>;
  /** Of each host of an MX record: whether it is an alias, and its addresses. */
  mxHosts: ReadonlyMap<string, { isAlias: Answer<boolean>; addresses: Answer<readonly string[]> }>;
  txt: Answer<readonly string[]>;
  /** TXT records of the names that SPF leads to, by name. */
  spfTxt: ReadonlyMap<string, Answer<readonly string[]>>;
  dmarc: Answer<readonly string[]>;
  /** Aliases of the zone, with whether anything is behind them. */
  aliases: readonly { name: string; target: string; resolves: Answer<boolean> }[];
}

/** What is the matter, in evidence; null: it is in order; undefined: nobody answered. */
export type Verdict = string | null | undefined;

/** RFC 7208, section 4.6.4. */
const mostLookups = 10;

const isSpf = (text: string) => /^v=spf1( |$)/i.test(text.trim());
export const spfRecords = (txt: readonly string[]) => txt.filter(isSpf);

export interface SpfTerms {
  /** Names whose own record is looked at: `include` and `redirect`. */
  follows: string[];
  /** Terms that cost a look-up of their own, beside those of `follows`. */
  lookups: number;
  /** How everybody else is judged; null: not said. */
  all: '+' | '-' | '~' | '?' | null;
}

/** The terms of an SPF record as far as they matter here. Names with macros cannot be followed. */
export function spfTerms(record: string): SpfTerms {
  const terms = record.trim().split(/\s+/).slice(1);
  const found: SpfTerms = { follows: [], lookups: 0, all: null };
  for (const term of terms) {
    const [, sign = '', word = '', value = ''] = /^([+\-~?]?)([a-z0-9]+)(?:[:=]([^/\s]*))?/i.exec(term) ?? [];
    switch (word.toLowerCase()) {
      case 'include':
      case 'redirect':
        if (value.includes('%')) found.lookups += 1;
        else if (value !== '') found.follows.push(value.toLowerCase().replace(/\.$/, ''));
        break;
      case 'a':
      case 'mx':
      case 'ptr':
      case 'exists':
        found.lookups += 1;
        break;
      case 'all':
        found.all = (sign || '+') as SpfTerms['all'];
        break;
    }
  }
  return found;
}

/** How many look-ups a record costs with all that it follows; undefined: a name on the way did not answer. */
export function spfLookups(
  record: string,
  known: Facts['spfTxt'],
  seen: readonly string[] = [],
): Answer<number> {
  const { follows, lookups } = spfTerms(record);
  let sum = lookups;
  for (const name of follows) {
    sum += 1;
    // A loop has no end: it is more than any limit.
    if (seen.includes(name)) return mostLookups + 1;
    // Beyond the limit nothing more is asked, and nothing more has to be known.
    if (sum > mostLookups) return sum;
    const txt = known.get(name);
    if (txt === undefined) return undefined;
    const [next] = spfRecords(txt);
    if (next === undefined) continue;
    const inner = spfLookups(next, known, [...seen, name]);
    if (inner === undefined) return undefined;
    sum += inner;
  }
  return sum;
}

/** One SPF record, which the checks of its contents are about; null: there is none, or more than one. */
function onlySpf({ txt }: Facts): Answer<string | null> {
  if (txt === undefined) return undefined;
  const [first, ...more] = spfRecords(txt);
  return first !== undefined && more.length === 0 ? first : null;
}

/** Names that one record follows and that have no record of their own. */
function deadFollows(record: string, known: Facts['spfTxt']): Answer<string[]> {
  const dead: string[] = [];
  for (const name of spfTerms(record).follows) {
    const txt = known.get(name);
    if (txt === undefined) return undefined;
    if (spfRecords(txt).length === 0) dead.push(name);
  }
  return dead;
}

interface Dmarc {
  policy: string;
  rua: string | null;
}

const isDmarc = (text: string) => /^v=DMARC1\b/i.test(text.trim());

/** The tags of a DMARC record (RFC 7489, section 6.3); null: it has no valid policy. */
export function dmarcOf(record: string): Dmarc | null {
  const tags = new Map(
    record
      .split(';')
      .map((part) => part.split('='))
      .map(([name = '', ...value]) => [name.trim().toLowerCase(), value.join('=').trim()]),
  );
  const policy = tags.get('p')?.toLowerCase() ?? '';
  if (!['none', 'quarantine', 'reject'].includes(policy)) return null;
  return { policy, rua: tags.get('rua') ?? null };
}

const isReportAddress = (text: string) =>
  /^mailto:[^\s@]+@[^\s@!.]+(?:\.[^\s@!.]+)+(?:![0-9]+[kmgt]?)?$/i.test(text.trim());

function dmarcRecords({ dmarc }: Facts): Answer<string[]> {
  return dmarc?.filter(isDmarc);
}

/** The one record that receivers read, as it is understood; null: there is none that can be understood. */
function onlyDmarc(facts: Facts): Answer<Dmarc | null> {
  const records = dmarcRecords(facts);
  if (records === undefined) return undefined;
  const [first, ...more] = records;
  return first === undefined || more.length > 0 ? null : dmarcOf(first);
}

/** "0 .": the domain says that it receives no mail (RFC 7505). */
const isNullMx = (mx: readonly { host: string }[]) => mx.length === 1 && (mx[0]?.host ?? '') === '';

const sorted = (names: readonly string[]) => names.map((name) => name.toLowerCase()).sort();
const listed = (names: readonly string[]) => (names.length === 0 ? null : names.join(', '));
/** Those for which a question about each has the answer yes; undefined when one that matters did not answer. */
function those<T>(all: readonly T[], name: (one: T) => string, is: (one: T) => Answer<boolean>): Verdict {
  const found: string[] = [];
  let isOpen = false;
  for (const one of all) {
    const answer = is(one);
    if (answer === undefined) isOpen = true;
    else if (answer) found.push(name(one));
  }
  return found.length > 0 ? found.join(', ') : isOpen ? undefined : null;
}

const isEmpty = (list: Answer<readonly unknown[]>): Answer<boolean> => list && list.length === 0;

/** Every kind of finding with what decides on it. One without a rule does not compile. */
export const healthRules: { readonly [K in HealthKind]: (facts: Facts) => Verdict } = {
  'ns-none': ({ nameservers }) => nameservers && (nameservers.length === 0 ? 'No NS records' : null),
  'ns-differs': ({ nameservers, registered }) => {
    if (nameservers === undefined) return undefined;
    const [seen, set] = [sorted(nameservers), sorted(registered.nameservers)];
    if (seen.length === 0 || set.length === 0 || seen.join() === set.join()) return null;
    return `${seen.join(', ')} instead of ${set.join(', ')}`;
  },
  'ns-dead': ({ nameservers, nameserverAddresses }) =>
    nameservers &&
    those(
      nameservers,
      (name) => name,
      (name) => isEmpty(nameserverAddresses.get(name)),
    ),
  'ns-one': ({ nameservers }) => nameservers && (nameservers.length === 1 ? (nameservers[0] ?? '') : null),
  'mx-missing': ({ mx }) => mx && (mx.length === 0 ? 'No MX records' : null),
  'mx-dead': ({ mx, mxHosts }) => {
    if (mx === undefined || isNullMx(mx)) return mx && null;
    return those(
      mx,
      ({ host }) => host,
      ({ host }) => isEmpty(mxHosts.get(host)?.addresses),
    );
  },
  'mx-alias': ({ mx, mxHosts }) => {
    if (mx === undefined || isNullMx(mx)) return mx && null;
    return those(
      mx,
      ({ host }) => host,
      ({ host }) => mxHosts.get(host)?.isAlias,
    );
  },
  'spf-missing': ({ txt }) => txt && (spfRecords(txt).length === 0 ? 'No TXT record with v=spf1' : null),
  'spf-two': ({ txt }) => {
    if (txt === undefined) return undefined;
    const count = spfRecords(txt).length;
    return count > 1 ? `${count} records` : null;
  },
  'spf-open': (facts) => {
    const record = onlySpf(facts);
    if (record == null) return record;
    const { all } = spfTerms(record);
    return all === '+' || all === '?' ? record : null;
  },
  'spf-lookups': (facts) => {
    const record = onlySpf(facts);
    if (record == null) return record;
    const count = spfLookups(record, facts.spfTxt);
    if (count === undefined) return undefined;
    return count > mostLookups ? `At least ${count} look-ups` : null;
  },
  'spf-dead': (facts) => {
    const record = onlySpf(facts);
    if (record == null) return record;
    const dead = deadFollows(record, facts.spfTxt);
    return dead && listed(dead);
  },
  'dmarc-missing': (facts) => {
    const records = dmarcRecords(facts);
    return records && (records.length === 0 ? 'No TXT record at _dmarc' : null);
  },
  'dmarc-two': (facts) => {
    const records = dmarcRecords(facts);
    return records && (records.length > 1 ? `${records.length} records` : null);
  },
  'dmarc-broken': (facts) => {
    const records = dmarcRecords(facts);
    if (records === undefined) return undefined;
    const [first, ...more] = records;
    return first !== undefined && more.length === 0 && dmarcOf(first) === null ? first : null;
  },
  'dmarc-none': (facts) => {
    const record = onlyDmarc(facts);
    return record && (record.policy === 'none' ? 'p=none' : null);
  },
  'dmarc-rua': (facts) => {
    const record = onlyDmarc(facts);
    if (record == null) return record;
    if (record.rua === null) return null;
    return record.rua.split(',').every(isReportAddress) ? null : record.rua;
  },
  'web-dangling': ({ aliases }) =>
    those(
      aliases,
      ({ name, target }) => `${name} to ${target}`,
      ({ resolves }) => (resolves === undefined ? undefined : !resolves),
    ),
  'web-none': ({ addresses }) => addresses && (addresses.length === 0 ? 'No A or AAAA record' : null),
  unlocked: ({ registered }) => (registered.locked === false ? 'Not locked at the registry' : null),
};

/** All verdicts on a domain. A domain without nameservers has nothing else that could be looked at. */
export function verdictsOn(facts: Facts): Map<HealthKind, Verdict> {
  const isLost = facts.nameservers?.length === 0;
  return new Map(
    (Object.keys(healthRules) as HealthKind[]).map((kind) => {
      const rests = isLost && kind !== 'ns-none' && kind !== 'unlocked';
      return [kind, rests ? null : healthRules[kind](facts)];
    }),
  );
}
