import { registrableName, withoutWww } from './domain-name.ts';
import { mostItems } from './order-limits.ts';
import { pastedName } from './pasted-name.ts';

/** Lists of names with their auth codes, as people paste them out of a mail, a sheet or another portal. */

/** One list is at most one order. */
export const mostMoveLines = mostItems;
/** Of pasted text, in characters. */
export const moveTextMost = 40_000;
/** Of a code, as the registrar takes it. */
export const authCodeMost = 64;

export interface PastedLine {
  /** As an editor counts them. */
  number: number;
  /** The name in its normal form, or what was pasted where there is none. */
  address: string;
  code: string;
  /** Why this is no name that can be moved. */
  problem: string | null;
}

/** A heading of a sheet. */
const heading = /^["']?(domain|domain ?name|name)s?["']?$/i;

/** What was pasted, line by line. Empty lines and a heading are left out; nothing else is. */
export function readMoveLines(text: string): PastedLine[] {
  const seen = new Map<string, number>();
  return text.split(/\r\n|\r|\n/).flatMap((raw, index) => {
    const [first, code] = halves(raw.trim());
    if (first === '' && code === '') return [];
    if (index === 0 && heading.test(first)) return [];
    const number = index + 1;
    const parsed = registrableName.safeParse(withoutWww(pastedName(first)));
    if (!parsed.success) {
      const problem = first === '' ? 'There is no name before the code' : nameProblem(first, parsed.error);
      return [{ number, address: first.slice(0, 300), code, problem }];
    }
    const address = parsed.data;
    const before = seen.get(address);
    if (before === undefined) seen.set(address, number);
    const problem = before === undefined ? null : `Line ${before} has this name already`;
    return [{ number, address, code, problem }];
  });
}

const nameProblem = (typed: string, { issues }: { issues: { message: string }[] }) =>
  typed.includes('.')
    ? (issues[0]?.message ?? 'This is not a valid domain name')
    : 'Please enter the name with its extension, such as example.com';

/** The name up to the first comma, semicolon, tab or blank; the rest is the code, whatever characters it has. */
function halves(line: string): [string, string] {
  const match = /^("[^"]*"|[^\s,;]*)[\s]*[,;]?[\s]*(.*)$/s.exec(line);
  return [unquoted(match?.[1] ?? ''), unquoted(match?.[2] ?? '')];
}

function unquoted(text: string): string {
  const inner = /^"(.*)"$/s.exec(text)?.[1];
  return inner === undefined ? text : inner.replaceAll('""', '"').trim();
}

/** What is wrong with the form of a code (RFC 5731 leaves it to the registry; these are what registries of .com take). */
export function authCodeProblem(code: string): string | null {
  if (code === '') return 'Please enter the AuthInfo / EPP code';
  if (/\s/.test(code)) return 'A code has no spaces. Please check where it begins and ends.';
  if (/[^!-~]/.test(code)) return 'A code contains only letters, digits and keyboard symbols';
  if (code.length < 6) return 'This code is too short. Codes have at least 6 characters.';
  if (code.length > authCodeMost)
    return `This code is too long. Codes have at most ${authCodeMost} characters.`;
  return null;
}

/** Providers of DNS that serve names of every registrar: a transfer does not end what they serve (checked 2026-11-23). */
const independent: readonly (readonly [RegExp, string])[] = [
  [/\.ns\.cloudflare\.com$/, 'Cloudflare'],
  [/\.awsdns-\d+\.(com|net|org|co\.uk)$/, 'Amazon Route 53'],
  [/\.azure-dns\.(com|net|org|info)$/, 'Azure DNS'],
  [/^ns-cloud-[a-e]\d\.googledomains\.com$/, 'Google Cloud DNS'],
  [/\.nsone\.net$/, 'NS1'],
  [/\.(dnsimple|dnsimple-edge)\.(com|net|org)$/, 'DNSimple'],
  [/\.dnsmadeeasy\.com$/, 'DNS Made Easy'],
  [/\.ultradns\.(com|net|org|biz|info|co\.uk)$/, 'UltraDNS'],
  [/\.akam\.net$/, 'Akamai'],
  [/\.digitalocean\.com$/, 'DigitalOcean'],
  [/\.desec\.(io|org)$/, 'deSEC'],
];

/** The provider that serves all of these nameservers and no matter who the registrar is; null: none that is known. */
export function independentDns(nameservers: readonly string[]): string | null {
  const providers = nameservers.map(
    (name) => independent.find(([fits]) => fits.test(name.toLowerCase()))?.[1],
  );
  const [first] = providers;
  return first !== undefined && providers.every((provider) => provider === first) ? first : null;
}
