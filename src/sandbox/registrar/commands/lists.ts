import { DAY_MS, epoch, noteStamp, stamp } from '../format.ts';
import { findDomain, findDomains } from '../state/domains.ts';
import type { World } from '../world.ts';
import { flag, ok, Refusal, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { dayOf, pageOf } from './paging.ts';
import type { CommandTable } from './table.ts';

const yesNo = (on: boolean) => (on ? 'Y' : 'N');

/** Both days belong to the span. Pages count from 1; 0 is tolerated (checked 2026-11-21). */
function byExpiry(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const from = dayOf(attributes, 'exp_from');
  const to = dayOf(attributes, 'exp_to');
  if (from === null || to === null) throw new Refusal(460, 'Missing required field: exp_from or exp_to');
  const found = findDomains(
    world,
    `state <> 'redemption' AND expires_at >= ? AND expires_at < ? ORDER BY expires_at, domain`,
    from,
    to + DAY_MS,
  );
  const page = pageOf(found, attributes, 1);
  const reply: XcpMap = {
    page: String(page.page),
    total: String(page.total),
    remainder: flag(page.more),
  };
  if (page.items.length > 0) {
    reply.exp_domains = page.items.map((domain) => ({
      name: domain.domain,
      expiredate: stamp(domain.expiresAt),
      f_auto_renew: yesNo(domain.autoRenew),
      f_let_expire: yesNo(domain.letExpire),
    }));
  }
  return ok('Command successful', reply);
}

function belongs(world: World, request: XcpRequest): XcpReply {
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  const domain = findDomain(world, request.domain);
  if (domain?.state !== 'active') return ok('Query successful', { belongs_to_rsp: '0' });
  return ok('Query successful', { belongs_to_rsp: '1', domain_expdate: stamp(domain.expiresAt) });
}

interface DeletedRow {
  domain: string;
  deleted_at: number;
  expired_at: number;
  reason: string;
}

function deleted(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const until = (key: string) => (dayOf(attributes, key) ?? Number.MAX_SAFE_INTEGER - DAY_MS) + DAY_MS;
  const rows = world.sql.all<DeletedRow>(
    `SELECT * FROM registrar_deleted WHERE deleted_at >= ? AND deleted_at < ? AND expired_at >= ?
     AND expired_at < ? ORDER BY sequence DESC`,
    dayOf(attributes, 'del_from') ?? 0,
    until('del_to'),
    dayOf(attributes, 'exp_from') ?? 0,
    until('exp_to'),
  );
  const page = pageOf(rows, attributes, 1);
  return ok('Command successful', {
    page: String(page.page),
    page_size: String(page.limit),
    total: String(page.total),
    del_domains: page.items.map((row) => ({
      name: row.domain,
      delete_date: noteStamp(row.deleted_at),
      delete_date_epoch: epoch(row.deleted_at),
      expiredate: noteStamp(row.expired_at),
      expiredate_epoch: epoch(row.expired_at),
      reason: row.reason,
    })),
  });
}

export const listCommands: CommandTable = {
  'GET_DOMAINS_BY_EXPIREDATE DOMAIN': byExpiry,
  'BELONGS_TO_RSP DOMAIN': belongs,
  'GET_DELETED_DOMAINS DOMAIN': deleted,
};
