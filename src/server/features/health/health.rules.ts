import { utcDayText } from '#contracts/values/format.ts';
import type { HealthKind } from '#contracts/values/health.ts';
import { danglingText } from '#contracts/values/health-fixes.ts';
import { isInnerAddress } from '#contracts/values/inner-address.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { Answer } from './answer.ts';
import { type Facts, isEmpty, listed, type Registered, those, type Verdict } from './evidence.rules.ts';
import {
  type Dmarc,
  dmarcOf,
  isDmarc,
  isReportAddress,
  mailProviderOf,
  mostLookups,
  spfLookups,
  spfRecords,
  spfTerms,
  strongKeyBits,
  stsFault,
  tlsReportFault,
} from './mail.rules.ts';
import { webRules } from './web.rules.ts';

/**
 * What is wrong with a domain, from what DNS and the registry say of it. `undefined` in a fact: nobody answered. Such a fact
 * decides nothing, so a finding is neither raised nor cleared by it.
 */

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
const isNullMx = ([first, ...more]: readonly { host: string }[]) => first?.host === '' && more.length === 0;

const sorted = (names: readonly string[]) => names.map((name) => name.toLowerCase()).sort();
/** Nameservers inside the domain need glue; of others somebody else has the address. */
const isInside = (address: string) => (name: string) => name.endsWith(`.${address}`);

const deadServers = (facts: Facts, isAsked: (name: string) => boolean): Verdict =>
  facts.nameservers &&
  those(
    facts.nameservers.filter(isAsked),
    (name) => name,
    (name) => isEmpty(facts.nameserverAddresses.get(name)),
  );

/** The network of an address as operators announce them: the first 24 bits, or 48 of the sixth version. */
const networkOf = (address: string) =>
  address.includes(':') ? address.split(':').slice(0, 3).join(':') : address.split('.').slice(0, 3).join('.');

/** The one network that all nameservers are in; null: they are in several, or nobody outside sees them. */
function onlyNetwork({ nameservers, nameserverAddresses }: Facts): Verdict {
  if (nameservers === undefined) return undefined;
  if (nameservers.length < 2) return null;
  const networks = new Set<string>();
  for (const name of nameservers) {
    const addresses = nameserverAddresses.get(name);
    if (addresses === undefined) return undefined;
    if (addresses.some(isInnerAddress)) return null;
    for (const address of addresses) networks.add(networkOf(address));
  }
  const [first] = networks;
  return networks.size > 1 ? null : (first ?? null);
}

/** Whether CAA lets an authority issue for a name (RFC 8659, section 4); no record allows all. */
function isAllowed(
  caa: readonly { tag: string; value: string }[],
  { host, authorities }: Facts['certificates'][number],
): boolean {
  const wild = host.startsWith('*.') ? caa.filter(({ tag }) => tag === 'issuewild') : [];
  const rules = wild.length > 0 ? wild : caa.filter(({ tag }) => tag === 'issue');
  const issuer = (value: string) => value.replace(/;.*/s, '').trim().toLowerCase();
  return rules.length === 0 || rules.some(({ value }) => authorities.includes(issuer(value)));
}

/** With one of these a name does not work, or will not soon (RFC 8056, RFC 3915). */
const stoppingCodes = ['client hold', 'server hold', 'redemption period', 'pending delete'];

/** From here on an expiry is a finding. */
const expiringDays = 30;

/** What the registrar's or registry's facts show; nothing where the registry does not know the name. */
function ofRegistered(verdict: (registered: Registered, now: Date) => string | null) {
  return ({ registered, now }: Facts): Verdict => registered && verdict(registered, now);
}

/** Nobody holds it: neither the registry nor DNS knows it. Some registries hide names from RDAP, so it alone decides nothing. */
function isFree({ watched, registration, nameservers }: Facts): Answer<boolean> {
  if (!watched || registration || (nameservers && nameservers.length > 0)) return false;
  return registration === undefined || nameservers === undefined ? undefined : true;
}

/** Every kind of finding with what decides on it. One without a rule does not compile. */
export const healthRules: { readonly [K in HealthKind]: (facts: Facts) => Verdict } = {
  'ns-none': (facts) =>
    facts.nameservers && (facts.nameservers.length === 0 && !isFree(facts) ? 'No NS records' : null),
  'ns-differs': ({ nameservers, registered }) => {
    if (registered === null) return null;
    if (nameservers === undefined || registered === undefined) return undefined;
    const [seen, set] = [sorted(nameservers), sorted(registered.nameservers)];
    if (set.length === 0 || seen.join() === set.join()) return null;
    return `${seen.join(', ')} instead of ${set.join(', ')}`;
  },
  'ns-dead': (facts) => deadServers(facts, (name) => !isInside(facts.address)(name)),
  'ns-glue': (facts) => deadServers(facts, isInside(facts.address)),
  'ns-network': onlyNetwork,
  'ns-one': ({ nameservers }) => nameservers && (nameservers.length === 1 ? (nameservers[0] ?? '') : null),
  'ns-lame': ({ nameservers, servers }) =>
    nameservers &&
    those(
      nameservers.filter((name) => servers.has(name)),
      (name) => name,
      (name) => {
        const answer = servers.get(name);
        // One that takes no TCP was not asked.
        return answer && answer !== 'refused' ? !answer.authoritative : answer && false;
      },
    ),
  'ns-serials': ({ nameservers, servers }) => {
    if (nameservers === undefined) return undefined;
    const serials: string[] = [];
    const seen = new Set<number>();
    for (const [name, answer] of servers) {
      if (answer === undefined) return undefined;
      if (answer === 'refused' || answer.serial === null) continue;
      seen.add(answer.serial);
      serials.push(`${name}: ${answer.serial}`);
    }
    return seen.size > 1 ? serials.join(', ') : null;
  },
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
  'dkim-missing': ({ mx, dkim }) => {
    const provider = mx && mailProviderOf(mx);
    if (!provider) return provider;
    const keys = provider.selectors.map((selector) => dkim.get(selector));
    if (keys.some((bits) => bits)) return null;
    return keys.includes(undefined)
      ? undefined
      : `${provider.name}: no key at ${provider.selectors.join(', ')}`;
  },
  'dkim-weak': ({ mx, dkim }) => {
    const provider = mx && mailProviderOf(mx);
    if (!provider) return provider;
    return those(
      provider.selectors,
      (selector) => `${selector}: ${dkim.get(selector)} bits`,
      (selector) => {
        const bits = dkim.get(selector);
        if (bits === undefined) return undefined;
        // One of no bits was withdrawn.
        return bits ? bits < strongKeyBits : false;
      },
    );
  },
  'tls-rpt-broken': ({ tlsReports }) => tlsReports && tlsReportFault(tlsReports),
  'mx-plain': ({ mx, mailServers }) =>
    mx &&
    those(
      [...mailServers.keys()],
      (host) => host,
      (host) => {
        const answer = mailServers.get(host);
        return answer && answer !== 'refused' ? !answer.startTls : answer && false;
      },
    ),
  'mta-sts-broken': ({ sts, mx }) => {
    if (sts.txt === undefined || mx === undefined) return undefined;
    return stsFault(
      sts.txt,
      sts.policy,
      mx.map(({ host }) => host).filter((host) => host !== ''),
    );
  },
  'web-dangling': ({ aliases }) =>
    those(aliases, danglingText, ({ resolves }) => (resolves === undefined ? undefined : !resolves)),
  'web-none': ({ addresses }) => addresses && (addresses.length === 0 ? 'No A or AAAA record' : null),
  ...webRules,
  'caa-forbids': ({ caa, certificates }) => {
    if (certificates.length === 0) return null;
    if (caa === undefined) return undefined;
    const forbidden = certificates.filter((certificate) => !isAllowed(caa, certificate));
    return listed([...new Set(forbidden.map(({ host, authorities }) => `${authorities[0]} for ${host}`))]);
  },
  'reissue-blocked': ({ proofs }) =>
    those(
      proofs,
      ({ name }) => name,
      ({ isThere }) => (isThere === undefined ? undefined : !isThere),
    ),
  unregistered: (facts) => {
    const free = isFree(facts);
    return free === undefined ? undefined : free ? 'The registry does not know it' : null;
  },
  expiring: ofRegistered(({ expiresAt, autoRenew }, now) =>
    expiresAt && !autoRenew && expiresAt.getTime() - now.getTime() < expiringDays * dayMs
      ? utcDayText(expiresAt)
      : null,
  ),
  'registry-hold': ({ registration }) =>
    registration && listed(registration.statuses.filter((code) => stoppingCodes.includes(code))),
  'registrant-unverified': ofRegistered(({ verification }) =>
    verification === 'waiting' || verification === 'suspended' ? verification : null,
  ),
  'registrant-bounced': ofRegistered(({ bounced }) => (bounced ? 'The registrar’s mail came back' : null)),
  unlocked: ofRegistered(({ locked }) => (locked === false ? 'Not locked at the registry' : null)),
};

/** What is known without the world’s DNS. A domain without nameservers has nothing else that could be looked at. */
const ofRegistry: readonly HealthKind[] = [
  ...([
    'ns-none',
    'unregistered',
    'unlocked',
    'expiring',
    'registrant-unverified',
    'registrant-bounced',
    'registry-hold',
  ] as const),
];

/** All verdicts on a domain. */
export function verdictsOn(facts: Facts): Map<HealthKind, Verdict> {
  const isLost = facts.nameservers?.length === 0;
  return new Map(
    (Object.keys(healthRules) as HealthKind[]).map((kind) => {
      const rests = isLost && !ofRegistry.includes(kind);
      return [kind, rests ? null : healthRules[kind](facts)];
    }),
  );
}
