import { z } from 'zod';

/**
 * What is wrong with the TXT records by which receivers judge mail: SPF (RFC 7208), DMARC (RFC 7489), DKIM keys
 * (RFC 6376, RFC 8463). They are warnings: the DNS serves such a record all the same, and a zone may be on its way from one
 * state to another.
 */

/** SPF asks the DNS for each of these; after ten, receivers give up (RFC 7208 §4.6.4). */
const mostLookUps = 10;
const askingTerms = new Set(['include', 'a', 'mx', 'ptr', 'exists', 'redirect']);
const mechanisms = new Set(['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists']);

export const isSpf = (text: string) => /^v=spf1(?: |$)/i.test(text);
export const isDmarc = (text: string) => /^v=dmarc1\b/i.test(text);
export const isDkim = (text: string) => /^v=dkim1\b/i.test(text);

/** The strings of a zone file as one text; null when the text is not a row of quoted strings. */
export function unquotedText(text: string): string | null {
  const next = /\s*"((?:[^"\\]|\\.)*)"/y;
  const strings: string[] = [];
  let end = 0;
  for (let found = next.exec(text); found; found = next.exec(text)) {
    strings.push((found[1] ?? '').replace(/\\(.)/g, '$1'));
    end = next.lastIndex;
  }
  return strings.length > 0 && text.slice(end).trim() === '' ? strings.join('') : null;
}

/** What is wrong with a text at a name of the domain (`_dmarc`, `key._domainkey`, or any). */
export function mailTextWarnings(subdomain: string, text: string): string[] {
  const bare = unquotedText(text);
  if (bare !== null) {
    return ['The quotation marks would be published as part of the text. Please remove them.'];
  }
  const labels = subdomain.split('.');
  if (isSpf(text)) return spfWarnings(text);
  if (/^v=spf/i.test(text)) return ['An SPF record begins with "v=spf1 ", followed by a space.'];
  if (labels[0] === '_dmarc' || isDmarc(text)) {
    const place = labels[0] === '_dmarc' ? [] : ['Receivers look for a DMARC record only at _dmarc.'];
    return [...place, ...dmarcWarnings(text)];
  }
  if (labels[1] === '_domainkey' || isDkim(text)) {
    const place =
      labels[1] === '_domainkey' ? [] : ['Receivers look for a DKIM key only at {selector}._domainkey.'];
    return [...place, ...dkimWarnings(text)];
  }
  return [];
}

function spfWarnings(text: string): string[] {
  const warnings: string[] = [];
  const terms = text.split(/ +/).slice(1).filter(Boolean);
  const names = terms.map((term) => nameOf(term));
  for (const [index, term] of terms.entries()) {
    const problem = termProblem(term, names[index] ?? '');
    if (problem) warnings.push(problem);
  }
  const all = names.indexOf('all');
  if (all >= 0 && names.slice(all + 1).some((name) => mechanisms.has(name))) {
    warnings.push('SPF: receivers ignore everything after "all".');
  }
  if (terms.some((term) => /^\+?all$/i.test(term)))
    warnings.push('SPF: "+all" lets anyone send mail in this name.');
  if (all < 0 && !names.includes('redirect')) {
    warnings.push('SPF: without "-all" or "~all" at the end, the record says nothing about other senders.');
  }
  const lookUps = names.filter((name) => askingTerms.has(name)).length;
  if (lookUps > mostLookUps) {
    warnings.push(
      `SPF: this needs ${lookUps} look-ups. Receivers stop after ${mostLookUps} and ignore the record.`,
    );
  }
  return warnings;
}

const nameOf = (term: string) => /^[-+~?]?([a-z][a-z0-9._-]*)/i.exec(term)?.[1]?.toLowerCase() ?? '';

function termProblem(term: string, name: string): string | null {
  const bare = term.replace(/^[-+~?]/, '');
  const value = bare.slice(name.length);
  if (value.startsWith('=')) return modifierProblem(name, value);
  if (!mechanisms.has(name)) return `SPF: "${shown(term)}" is not known.${meantInstead[name] ?? ''}`;
  if (name === 'all') return value === '' ? null : `SPF: "${shown(term)}" is not known.`;
  if (name === 'ip4' || name === 'ip6') return networkProblem(name, value, term);
  if ((name === 'include' || name === 'exists') && !/^:\S+$/.test(value))
    return `SPF: "${name}:" needs a domain.`;
  return /^(?::[^/\s]+)?(?:\/\d{1,3})?(?:\/\/\d{1,3})?$/.test(value)
    ? null
    : `SPF: "${shown(term)}" is not valid.`;
}

const meantInstead: { readonly [name: string]: string } = {
  ipv4: ' Did you mean "ip4"?',
  ipv6: ' Did you mean "ip6"?',
};

function modifierProblem(name: string, value: string): string | null {
  if (mechanisms.has(name)) {
    return `SPF: please write "${name}:" with a colon, not "${name}=".`;
  }
  // Other modifiers are allowed, and mean nothing to those who do not know them.
  return /^=\S+$/.test(value) ? null : `SPF: "${name}=" needs a domain.`;
}

function networkProblem(name: 'ip4' | 'ip6', value: string, term: string): string | null {
  const [address = '', bits, ...more] = value.slice(1).split('/');
  const most = name === 'ip4' ? 32 : 128;
  const isAddress = (name === 'ip4' ? z.ipv4() : z.ipv6()).safeParse(address).success;
  const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (value.startsWith(':') && isAddress && isLength && more.length === 0) return null;
  return `SPF: "${shown(term)}" is not an ${name === 'ip4' ? 'IPv4' : 'IPv6'} address or network.`;
}

type Tags = { name: string; value: string }[];

/** `a=b; c=d` as DMARC and DKIM write it; null for what is no such list. */
function tagsOf(text: string): Tags | null {
  const parts = text.split(';').map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  const tags = parts.map((part) => {
    const at = part.indexOf('=');
    return { name: part.slice(0, at).trim().toLowerCase(), value: part.slice(at + 1).trim(), whole: at > 0 };
  });
  return tags.every(({ whole }) => whole) ? tags : null;
}

const policies = ['none', 'quarantine', 'reject'];
/** How strict the policy of a DMARC record is, from 0; null: it has none that can be read. */
export function dmarcStrictness(text: string): number | null {
  const policy = tagsOf(text)?.find(({ name }) => name === 'p');
  const strictness = policies.indexOf(policy?.value.toLowerCase() ?? '');
  return strictness < 0 ? null : strictness;
}

const oneOf = (values: readonly string[]) => (value: string) => values.includes(value.toLowerCase());
const mailboxes = (value: string) =>
  value.split(',').every((each) => /^mailto:[^@\s,]+@[^@\s,]+$/i.test(each.trim()));

/** What each tag may hold, and how that is said. */
const dmarcTags: Readonly<Record<string, readonly [(value: string) => boolean, string]>> = {
  p: [oneOf(policies), 'none, quarantine or reject'],
  sp: [oneOf(policies), 'none, quarantine or reject'],
  np: [oneOf(policies), 'none, quarantine or reject'],
  pct: [(value) => /^\d{1,3}$/.test(value) && Number(value) <= 100, 'a number from 0 to 100'],
  rua: [mailboxes, 'addresses such as mailto:dmarc@example.com'],
  ruf: [mailboxes, 'addresses such as mailto:dmarc@example.com'],
  adkim: [oneOf(['r', 's']), 'r or s'],
  aspf: [oneOf(['r', 's']), 'r or s'],
  fo: [(value) => /^[01ds](?::[01ds]){0,3}$/i.test(value), '0, 1, d or s, with colons between them'],
  rf: [oneOf(['afrf']), 'afrf'],
  ri: [(value) => /^\d{1,10}$/.test(value), 'a number of seconds'],
  psd: [oneOf(['y', 'n', 'u']), 'y, n or u'],
  t: [oneOf(['y', 'n']), 'y or n'],
};

function dmarcWarnings(text: string): string[] {
  const tags = tagsOf(text);
  if (!tags) return ['DMARC: please write tags as "name=value" with semicolons between them.'];
  const [version, ...others] = tags;
  if (version?.name !== 'v' || version.value !== 'DMARC1') return ['A DMARC record begins with "v=DMARC1;".'];
  const warnings = repeated('DMARC', tags);
  if (!others.some(({ name }) => name === 'p')) {
    warnings.push('DMARC: the policy is missing. Please add p=none, p=quarantine or p=reject.');
  }
  for (const { name, value } of others) {
    const [fits, words] = dmarcTags[name] ?? [];
    if (!fits) warnings.push(`DMARC: the tag "${shown(name)}" is not known and is ignored.`);
    else if (!fits(value)) warnings.push(`DMARC: ${name} is ${words}, not "${shown(value)}".`);
  }
  return warnings;
}

function repeated(kind: string, tags: Tags): string[] {
  const names = tags.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...twice].map((name) => `${kind}: ${shown(name)} appears twice.`);
}

function dkimWarnings(text: string): string[] {
  const tags = tagsOf(text);
  if (!tags) return ['DKIM: please write tags as "name=value" with semicolons between them.'];
  const tagOf = (wanted: string) => tags.find(({ name }) => name === wanted)?.value;
  const warnings = repeated('DKIM', tags);
  const version = tags.findIndex(({ name }) => name === 'v');
  if (version > 0 || (version === 0 && tags[0]?.value !== 'DKIM1')) {
    warnings.push('DKIM: "v=DKIM1" must come first, or be left out.');
  }
  const kind = tagOf('k') ?? 'rsa';
  if (kind !== 'rsa' && kind !== 'ed25519')
    warnings.push(`DKIM: k must be rsa or ed25519, not "${shown(kind)}".`);
  const key = tagOf('p');
  if (key === undefined) warnings.push('DKIM: the key is missing (p=).');
  else if (key === '') warnings.push('DKIM: an empty key (p=) means that the key was withdrawn.');
  else {
    const problem = keyProblem(kind, key.replace(/\s/g, ''));
    if (problem) warnings.push(problem);
  }
  return warnings;
}

/** An RSA key says its own length: a key that was cut off while it was copied is noticed. */
function keyProblem(kind: string, base64: string): string | null {
  const unreadable = 'DKIM: the key (p=) cannot be read. Please copy the whole key again.';
  let bytes: string;
  try {
    bytes = atob(base64);
  } catch {
    return unreadable;
  }
  if (kind === 'ed25519') return bytes.length === 32 ? null : unreadable;
  if (kind !== 'rsa') return null;
  const at = (index: number) => bytes.charCodeAt(index);
  const long = at(1) === 0x82 ? 4 + at(2) * 256 + at(3) : at(1) === 0x81 ? 3 + at(2) : 2 + at(1);
  if (at(0) !== 0x30 || long !== bytes.length) return unreadable;
  // A key of 1024 bits takes 140 bytes alone and 162 with its name.
  return bytes.length < 140 ? 'DKIM: receivers ignore keys below 1024 bits.' : null;
}

const shown = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
