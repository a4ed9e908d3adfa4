import { emit } from '../state/account.ts';
import { type Domain, ownDomain } from '../state/domains.ts';
import { onServiceHosts } from '../state/nameservers.ts';
import type { World } from '../world.ts';
import { flag, ok, Refusal, textOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { delegate } from './nameservers.ts';
import type { CommandTable } from './table.ts';
import { recordsOf } from './zone-records.ts';

interface Zone {
  records: string;
  template: string;
  serial: number;
}

const BLANK = '*blank*';

function findZone(world: World, domain: string): Zone | undefined {
  return world.sql.get<Zone>(
    'SELECT records, template, serial FROM registrar_zones WHERE domain = ?',
    domain,
  );
}

function requireZone(world: World, domain: string): Zone {
  const zone = findZone(world, domain);
  if (!zone) throw new Refusal(480, 'DNS zone not found for domain');
  return zone;
}

function templateOf(request: XcpRequest): string {
  const template = textOf(request.attributes, 'dns_template');
  if (template && template !== BLANK) {
    throw new Refusal(478, `DNS template specified does not exist.  (${template})`);
  }
  return template;
}

function saveZone(world: World, domain: Domain, records: XcpMap, template: string): XcpReply {
  const serial = Math.max((findZone(world, domain.domain)?.serial ?? 0) + 1, Math.floor(world.now() / 1000));
  world.sql.run(
    'INSERT OR REPLACE INTO registrar_zones VALUES (?, ?, ?, ?)',
    domain.domain,
    JSON.stringify(records),
    template,
    serial,
  );
  return shown(world, domain, records);
}

function shown(world: World, domain: Domain, records: XcpMap): XcpReply {
  return ok('Command Successful', {
    records,
    nameservers_ok: flag(onServiceHosts(world, domain.nameservers)),
  });
}

function createZone(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  const template = templateOf(request);
  if (findZone(world, domain.domain)) throw new Refusal(485, 'DNS zone already exists');
  return saveZone(world, domain, recordsOf(request.attributes, domain.domain), template);
}

function getZone(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  const zone = requireZone(world, domain.domain);
  return shown(world, domain, JSON.parse(zone.records) as XcpMap);
}

/** Replaces the whole set of records (checked 2026-11-21: no page says that it merges). */
function setZone(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  const zone = requireZone(world, domain.domain);
  const template = templateOf(request);
  if (request.attributes.records === undefined && !template) {
    throw new Refusal(460, 'Missing required field: records');
  }
  return saveZone(world, domain, recordsOf(request.attributes, domain.domain), template || zone.template);
}

function resetZone(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  const zone = requireZone(world, domain.domain);
  return saveZone(world, domain, {}, templateOf(request) || zone.template);
}

function deleteZone(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  requireZone(world, domain.domain);
  world.sql.run('DELETE FROM registrar_zones WHERE domain = ?', domain.domain);
  return ok('Command Successful');
}

function forceNameservers(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  requireZone(world, domain.domain);
  if (delegate(world, domain, world.knobs().nameservers)) {
    emit(world, 'DOMAIN', 'ZONE_CHECK_STATUS_CHANGE', {
      domain_name: domain.domain,
      zone_check_status: 'OK',
    });
  }
  return ok('Command Successful');
}

export const zoneCommands: CommandTable = {
  'CREATE_DNS_ZONE DOMAIN': createZone,
  'GET_DNS_ZONE DOMAIN': getZone,
  'SET_DNS_ZONE DOMAIN': setZone,
  'RESET_DNS_ZONE DOMAIN': resetZone,
  'RESET_DNS_ZONE MISSING': resetZone,
  'DELETE_DNS_ZONE DOMAIN': deleteZone,
  'FORCE_DNS_NAMESERVERS DOMAIN': forceNameservers,
};
