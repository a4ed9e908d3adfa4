import { hasWord, splitName, validHost } from '../names.ts';
import type { World } from '../world.ts';
import { Refusal } from '../xcp.ts';

/**
 * Whether the registry knows a host. Foreign hosts exist unless their name says otherwise: `newhost` until it is made
 * known, `nohost` for ever.
 */
export function hostExists(world: World, name: string): boolean {
  if (world.knobs().nameservers.includes(name)) return true;
  if (world.sql.get('SELECT 1 FROM registrar_hosts WHERE name = ?', name)) return true;
  if (world.sql.get('SELECT 1 FROM registrar_known_hosts WHERE name = ?', name)) return true;
  const parent = parentOf(world, name);
  if (parent && world.sql.get('SELECT 1 FROM registrar_domains WHERE domain = ?', parent)) return false;
  return !hostHasWord(world, name, 'nohost') && !hostHasWord(world, name, 'newhost');
}

export function hostHasWord(world: World, name: string, word: string): boolean {
  return hasWord(parentOf(world, name) ?? name, word) || hasWord(name, word);
}

/** The registrable name that a host stands under. */
function parentOf(world: World, host: string): string | null {
  const parts = splitName(world, host);
  const label = parts?.label.split('.').at(-1);
  return parts && label ? `${label}.${parts.suffix}` : null;
}

/** Checks a whole delegation and returns it in lower case. */
export function delegationOf(names: string[]): string[] {
  const hosts = names.map((name) => name.toLowerCase().replace(/\.$/, ''));
  const wrong = hosts.find((host) => !validHost(host));
  if (wrong !== undefined) throw new Refusal(465, `Invalid nameserver syntax: ${wrong}`);
  if (new Set(hosts).size !== hosts.length) throw new Refusal(465, 'Duplicate nameserver detected');
  // .com: at least 2, at most 13 (checked 2026-11-21).
  if (hosts.length < 2) throw new Refusal(465, 'At least two nameservers are required');
  if (hosts.length > 13) throw new Refusal(465, 'No more than 13 nameservers are allowed');
  return hosts;
}

export function notFoundText(host: string): string {
  return `Request failed validation: Name server '${host}' is not found at the registry. Please double check the nameserver and re-submit.`;
}

/** Whether any name in the account is delegated to this host. */
export function hostInUse(world: World, name: string): boolean {
  const row = world.sql.get(
    `SELECT 1 FROM registrar_domains, json_each(registrar_domains.nameservers) AS host WHERE host.value = ? LIMIT 1`,
    name,
  );
  return row !== undefined;
}

export function onServiceHosts(world: World, nameservers: string[]): boolean {
  const own = world.knobs().nameservers;
  return nameservers.length > 0 && nameservers.every((name) => own.includes(name));
}
