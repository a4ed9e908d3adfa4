import { isIP } from 'node:net';
import { validHost } from '../names.ts';
import { emit } from '../state/account.ts';
import { type Domain, findDomains, ownDomain, updateDomain } from '../state/domains.ts';
import { delegationOf, hostExists, hostHasWord, hostInUse } from '../state/nameservers.ts';
import type { World } from '../world.ts';
import { flag, ok, Refusal, textOf, textsOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { nameserverList } from './get.ts';
import type { CommandTable } from './table.ts';

const HOSTS_PER_DOMAIN = 50;

export function delegate(world: World, domain: Domain, names: string[]): boolean {
  const hosts = delegationOf(names);
  const missing = hosts.find((host) => !hostExists(world, host));
  if (missing !== undefined) {
    throw new Refusal(480, `Command failed: unable to verify existence of nameserver ${missing}`);
  }
  if (hosts.join() === domain.nameservers.join()) return false;
  const next = updateDomain(world, domain, { nameservers: hosts });
  emit(world, 'DOMAIN', 'NAMESERVER_UPDATE', {
    domain_name: domain.domain,
    domain_id: domain.domainId,
    nameserver_list: nameserverList(world, next),
  });
  return true;
}

function advancedUpdate(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const domain = ownDomain(world, request);
  const type = textOf(attributes, 'op_type').toLowerCase();
  const lower = (key: string) => textsOf(attributes, key).map((name) => name.toLowerCase());
  const [assign, add, remove] = [lower('assign_ns'), lower('add_ns'), lower('remove_ns')];
  if (!type) throw new Refusal(460, 'Missing required field: op_type');
  if (assign.length > 0 && add.length + remove.length > 0) {
    throw new Refusal(465, 'assign_ns cannot be used together with add_ns or remove_ns');
  }
  let names = assign;
  if (type === 'add_remove') {
    const unmapped = remove.find((name) => !domain.nameservers.includes(name));
    if (unmapped !== undefined) throw new Refusal(480, 'Nameserver not currently mapped to domain');
    const mapped = add.find((name) => domain.nameservers.includes(name));
    if (mapped !== undefined) throw new Refusal(485, 'Nameserver already mapped');
    names = [...domain.nameservers.filter((name) => !remove.includes(name)), ...add];
  } else if (type !== 'assign') throw new Refusal(465, `Invalid op_type: ${type}`);
  const changed = delegate(world, domain, names);
  return ok(changed ? 'Nameserver Update Successful.' : 'No nameserver changes necessary.');
}

interface Host {
  name: string;
  domain: string;
  ipv4: string;
  ipv6: string;
}

function addresses(attributes: XcpMap): { ipv4: string; ipv6: string } {
  const ipv4 = textOf(attributes, 'ipaddress');
  const ipv6 = textOf(attributes, 'ipv6');
  if (!ipv4 && !ipv6) throw new Refusal(460, 'Missing required field: ip');
  if ((ipv4 && isIP(ipv4) !== 4) || (ipv6 && isIP(ipv6) !== 6)) {
    throw new Refusal(465, 'Invalid IP address');
  }
  return { ipv4, ipv6 };
}

function hostName(attributes: XcpMap, key: string, domain: string): string {
  const name = textOf(attributes, key).toLowerCase().replace(/\.$/, '');
  if (!name) throw new Refusal(460, 'Missing required field: fqdn');
  if (!validHost(name)) throw new Refusal(465, 'Invalid nameserver syntax');
  if (!name.endsWith(`.${domain}`)) {
    throw new Refusal(465, `Invalid nameserver: ${name} is not under ${domain}`);
  }
  return name;
}

function findHost(world: World, name: string, domain: string): Host {
  const host = world.sql.get<Host>(
    'SELECT * FROM registrar_hosts WHERE name = ? AND domain = ?',
    name,
    domain,
  );
  if (!host) throw new Refusal(480, "Nameserver doesn't exist");
  return host;
}

function createHost(world: World, request: XcpRequest): XcpReply {
  const { domain } = ownDomain(world, request);
  const name = hostName(request.attributes, 'name', domain);
  const { ipv4, ipv6 } = addresses(request.attributes);
  if (world.sql.get('SELECT 1 FROM registrar_hosts WHERE name = ?', name)) {
    throw new Refusal(485, 'Nameserver already exists');
  }
  const held = world.sql.all('SELECT 1 FROM registrar_hosts WHERE domain = ?', domain);
  if (held.length >= HOSTS_PER_DOMAIN) throw new Refusal(445, 'Nameserver quota exceeded');
  world.sql.run('INSERT INTO registrar_hosts VALUES (?, ?, ?, ?)', name, domain, ipv4, ipv6);
  return ok('Nameserver Created.');
}

/** Overwrites: a family of addresses left out is removed at the registry (checked 2026-11-21). */
function modifyHost(world: World, request: XcpRequest): XcpReply {
  const { domain } = ownDomain(world, request);
  const host = findHost(world, hostName(request.attributes, 'name', domain), domain);
  const { ipv4, ipv6 } = addresses(request.attributes);
  const wanted = textOf(request.attributes, 'new_name').toLowerCase();
  const name = wanted ? renamedHost(world, request, host, domain) : host.name;
  world.sql.run('DELETE FROM registrar_hosts WHERE name = ?', host.name);
  world.sql.run('INSERT INTO registrar_hosts VALUES (?, ?, ?, ?)', name, domain, ipv4, ipv6);
  if (name !== host.name) {
    // The registry's delegations follow the host object.
    for (const user of findDomains(world, 'nameservers LIKE ?', `%"${host.name}"%`)) {
      const nameservers = user.nameservers.map((each) => (each === host.name ? name : each));
      updateDomain(world, user, { nameservers });
    }
  }
  return ok('Nameserver Update Successful.');
}

function renamedHost(world: World, request: XcpRequest, host: Host, domain: string): string {
  const wanted = textOf(request.attributes, 'new_name').toLowerCase().replace(/\.$/, '');
  if (!validHost(wanted)) throw new Refusal(465, 'Invalid new nameserver hostname');
  if (!wanted.endsWith(`.${domain}`)) {
    throw new Refusal(400, `Unable to change nameserver hostname to ${wanted}`);
  }
  const taken = wanted !== host.name && world.sql.get('SELECT 1 FROM registrar_hosts WHERE name = ?', wanted);
  if (taken) throw new Refusal(485, 'New nameserver hostname already in registry');
  return wanted;
}

function deleteHost(world: World, request: XcpRequest): XcpReply {
  const { domain } = ownDomain(world, request);
  const host = findHost(world, hostName(request.attributes, 'name', domain), domain);
  if (hostInUse(world, host.name)) throw new Refusal(485, 'Nameserver in use');
  world.sql.run('DELETE FROM registrar_hosts WHERE name = ?', host.name);
  return ok('Nameserver deleted.');
}

function getHosts(world: World, request: XcpRequest): XcpReply {
  const { domain } = ownDomain(world, request);
  const wanted = textOf(request.attributes, 'name').toLowerCase();
  if (!wanted) throw new Refusal(460, 'Missing required field: name');
  const hosts = world.sql
    .all<Host>('SELECT * FROM registrar_hosts WHERE domain = ? ORDER BY name', domain)
    .filter((host) => wanted === 'all' || host.name === wanted);
  const list = hosts.map((host) => {
    const entry: XcpMap = { name: host.name, can_delete: flag(!hostInUse(world, host.name)) };
    if (host.ipv4) entry.ipaddress = host.ipv4;
    if (host.ipv6) entry.ipv6 = host.ipv6;
    return entry;
  });
  return ok('Command Successful', { nameserver_list: list });
}

function foreignHost(request: XcpRequest): string {
  const name = textOf(request.attributes, 'fqdn').toLowerCase();
  if (!name) throw new Refusal(460, 'Missing required field: fqdn');
  if (!validHost(name)) throw new Refusal(465, 'Invalid nameserver syntax');
  return name;
}

function registryAdd(world: World, request: XcpRequest): XcpReply {
  const name = foreignHost(request);
  if (!textOf(request.attributes, 'tld')) throw new Refusal(460, 'Missing required field: tld');
  if (hostHasWord(world, name, 'nohost')) throw new Refusal(405, `Unable to add nameserver ${name}`);
  world.sql.run('INSERT OR IGNORE INTO registrar_known_hosts VALUES (?)', name);
  return ok('Nameserver Added.');
}

function registryCheck(world: World, request: XcpRequest): XcpReply {
  const known = hostExists(world, foreignHost(request));
  return ok('Command Successful', { status: known ? 'exists' : 'not found' });
}

export const nameserverCommands: CommandTable = {
  'ADVANCED_UPDATE_NAMESERVERS DOMAIN': advancedUpdate,
  'CREATE NAMESERVER': createHost,
  'MODIFY NAMESERVER': modifyHost,
  'DELETE NAMESERVER': deleteHost,
  'GET NAMESERVER': getHosts,
  'REGISTRY_ADD_NS NAMESERVER': registryAdd,
  'REGISTRY_CHECK_NAMESERVER NAMESERVER': registryCheck,
};
