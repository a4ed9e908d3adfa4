import type { World } from './world.ts';
import { Refusal, type XcpRequest } from './xcp.ts';

const labelPattern = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

export function validHost(name: string): boolean {
  const labels = name.split('.');
  return name.length <= 253 && labels.length >= 2 && labels.every((label) => labelPattern.test(label));
}

/** The suffix that we sell and what stands before it; null for suffixes not in the price table. */
export function splitName(world: World, name: string): { label: string; suffix: string } | null {
  const labels = name.split('.');
  for (let from = 1; from < labels.length; from += 1) {
    const suffix = labels.slice(from).join('.');
    if (world.sql.get('SELECT 1 FROM registrar_prices WHERE suffix = ?', suffix)) {
      return { label: labels.slice(0, from).join('.'), suffix };
    }
  }
  return null;
}

/** A name that could be registered here, or the refusal that says why not. */
export function registrable(world: World, request: XcpRequest): { domain: string; suffix: string } {
  const { domain } = request;
  if (!domain) throw new Refusal(460, 'No Domain Supplied');
  const parts = splitName(world, domain);
  if (!parts && /^[a-z0-9.-]+$/.test(domain)) throw new Refusal(701, `Can't extract TLD from '${domain}'`);
  if (!parts || !labelPattern.test(parts.label)) {
    throw new Refusal(465, `Invalid syntax on domain '${domain}'.`);
  }
  return { domain, suffix: parts.suffix };
}

/**
 * Words in a name that script what happens to it. A word counts where it stands alone between hyphens, digits may
 * follow: `acme-late-7.com`, `late3.com`, but not `chocolate.com`.
 */
export function hasWord(domain: string, word: string): boolean {
  const label = domain.split('.')[0] ?? '';
  return new RegExp(`(^|-)${word}\\d*(-|$)`).test(label);
}
