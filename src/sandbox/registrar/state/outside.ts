import { addYears, DAY_MS } from '../format.ts';
import { hasWord, splitName } from '../names.ts';
import type { World } from '../world.ts';
import { DEFAULT_AUTH_CODE, OTHER_REGISTRAR } from './seed.ts';

/** A name that somebody else has registered. */
export interface OutsideDomain {
  domain: string;
  registrar: string;
  /** Set where it is with this registrar too: another reseller, or `this` for ours under another account. */
  reseller: string;
  locked: boolean;
  createdAt: number;
  expiresAt: number;
  authCode: string;
  nameservers: string[];
}

interface OutsideRow {
  domain: string;
  registrar: string;
  reseller: string;
  locked: number;
  created_at: number;
  expires_at: number;
  auth_code: string;
  nameservers: string;
}

/** Words in a name that make it exist elsewhere from the start. */
const ownedWords = ['taken', 'elsewhere', 'locked', 'young', 'reseller', 'ours'];

export function findOutside(world: World, domain: string): OutsideDomain | null {
  const row = world.sql.get<OutsideRow>('SELECT * FROM registrar_outside WHERE domain = ?', domain);
  if (row) {
    return row.registrar === ''
      ? null
      : {
          domain: row.domain,
          registrar: row.registrar,
          reseller: row.reseller,
          locked: row.locked === 1,
          createdAt: row.created_at,
          expiresAt: row.expires_at,
          authCode: row.auth_code,
          nameservers: JSON.parse(row.nameservers) as string[],
        };
  }
  return outsideByWord(world, domain);
}

function outsideByWord(world: World, domain: string): OutsideDomain | null {
  if (hasWord(domain, 'taken-late')) return null;
  const word = ownedWords.find((candidate) => hasWord(domain, candidate));
  if (!word || splitName(world, domain)?.label.includes('.') !== false) return null;
  return describeOutside(world, domain, {
    locked: word === 'locked',
    ageDays: word === 'young' ? 20 : 1100,
    reseller: word === 'ours' ? 'this' : word === 'reseller' ? 'another-msp' : '',
  });
}

export interface OutsideInput {
  registrar?: string | undefined;
  reseller?: string | undefined;
  locked?: boolean | undefined;
  ageDays?: number | undefined;
  expiresInDays?: number | undefined;
  authCode?: string | undefined;
  nameservers?: string[] | undefined;
}

export function describeOutside(world: World, domain: string, input: OutsideInput): OutsideDomain {
  const createdAt = world.now() - (input.ageDays ?? 1100) * DAY_MS;
  let expiresAt = addYears(createdAt, 1);
  while (expiresAt < world.now() + 30 * DAY_MS) expiresAt = addYears(expiresAt, 1);
  if (input.expiresInDays !== undefined) expiresAt = world.now() + input.expiresInDays * DAY_MS;
  return {
    domain,
    registrar: input.registrar ?? OTHER_REGISTRAR,
    reseller: input.reseller ?? '',
    locked: input.locked ?? false,
    createdAt,
    expiresAt,
    authCode: input.authCode ?? DEFAULT_AUTH_CODE,
    nameservers: input.nameservers ?? ['ns1.elsewhere-dns.net', 'ns2.elsewhere-dns.net'],
  };
}

export function saveOutside(world: World, outside: OutsideDomain): void {
  world.sql.run(
    'INSERT OR REPLACE INTO registrar_outside VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    outside.domain,
    outside.registrar,
    outside.reseller,
    Number(outside.locked),
    outside.createdAt,
    outside.expiresAt,
    outside.authCode,
    JSON.stringify(outside.nameservers),
  );
}

/** The name is nobody's elsewhere from now on; an empty registrar marks that also for names taken by their word. */
export function removeOutside(world: World, domain: string): void {
  saveOutside(world, { ...describeOutside(world, domain, {}), registrar: '' });
}
