import { type Domain, findDomain, findDomains, ownDomain, updateDomain } from '../state/domains.ts';
import { alreadyVerified, personOf } from '../state/provision.ts';
import type { World } from '../world.ts';
import {
  isMap,
  listOf,
  mapOf,
  ok,
  Refusal,
  textOf,
  textsOf,
  type XcpMap,
  type XcpReply,
  type XcpRequest,
} from '../xcp.ts';
import { contactFaults, withStatus } from './contact-rules.ts';
import type { CommandTable } from './table.ts';

type Change = (world: World, domain: Domain, attributes: XcpMap) => { text: string; changed: boolean };

const contactTypes = ['owner', 'admin', 'billing', 'tech'];

function bit(attributes: XcpMap, key: string): boolean {
  const value = textOf(attributes, key);
  if (value !== '0' && value !== '1') throw new Refusal(460, `Missing required field: ${key}`);
  return value === '1';
}

/** The kinds of MODIFY DOMAIN that .com needs (checked 2026-11-21). */
const changes: Record<string, Change> = {
  status(world, domain, attributes) {
    const locked = bit(attributes, 'lock_state');
    updateDomain(world, domain, { locked });
    return {
      text: locked ? 'Domain successfully locked.' : 'Domain successfully unlocked.',
      changed: locked !== domain.locked,
    };
  },
  expire_action(world, domain, attributes) {
    const autoRenew = bit(attributes, 'auto_renew');
    const letExpire = bit(attributes, 'let_expire');
    if (autoRenew && letExpire) throw new Refusal(465, 'auto_renew and let_expire cannot both be set');
    updateDomain(world, domain, { autoRenew, letExpire });
    return { text: 'Modification Successful', changed: true };
  },
  contact_info(world, domain, attributes) {
    const given = mapOf(attributes, 'contact_set');
    const set: XcpMap = {};
    for (const type of contactTypes) {
      const contact = given[type];
      if (!isMap(contact)) continue;
      set[type] = contact;
      for (const other of textsOf(contact, 'also_apply_to')) set[other] = contact;
    }
    for (const other of textsOf(given, 'also_apply_to')) set[other] = Object.values(set)[0] ?? {};
    replaceContacts(world, domain, set);
    return { text: 'Modification Successful', changed: true };
  },
  whois_privacy_state(world, domain, attributes) {
    const state = textOf(attributes, 'state').toLowerCase();
    if (state !== 'enable' && state !== 'disable') throw new Refusal(465, 'Invalid Whois Privacy state');
    updateDomain(world, domain, { privacy: state === 'enable' });
    return {
      text: `Whois Privacy successfully ${state}d`,
      changed: (state === 'enable') !== domain.privacy,
    };
  },
  domain_auth_info(world, domain, attributes) {
    const code = textOf(attributes, 'domain_auth_info');
    if (!/^[\x21-\x7e]{6,32}$/.test(code)) throw new Refusal(465, 'Invalid domain_auth_info');
    updateDomain(world, domain, { authCode: code });
    return { text: 'Modification Successful', changed: true };
  },
  dnssec(world, domain, attributes) {
    updateDomain(world, domain, { dnssec: listOf(attributes, 'dnssec').filter(isMap) });
    return { text: 'Modification Successful', changed: true };
  },
  parkpage_state(_, _domain, attributes) {
    if (!['on', 'off'].includes(textOf(attributes, 'state'))) throw new Refusal(465, 'Invalid state');
    return { text: 'Modification Successful', changed: false };
  },
};

function modify(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const type = textOf(attributes, 'data').toLowerCase();
  if (!type) throw new Refusal(460, 'Modify type not specified');
  const change = changes[type];
  if (!change) throw new Refusal(465, `Unknown Modify type: ${type}`);
  const domain = ownDomain(world, request);
  const all =
    textOf(attributes, 'affect_domains') === '1'
      ? findDomains(world, `profile = ? AND state <> 'redemption'`, domain.profile)
      : [domain];
  const results = all.map((each) => ({ name: each.domain, ...change(world, each, attributes) }));
  const text = results[0]?.text ?? '';
  // 220: nothing to do, a success (one client's finding, checked 2026-11-21).
  if (!results.some((result) => result.changed)) return { code: 220, success: true, text: 'Nothing to do' };
  const details: XcpMap = {};
  for (const result of results) {
    details[result.name] = { is_success: '1', response_code: '200', response_text: result.text };
  }
  return ok(text, { details });
}

/** Replaces the contacts given. A new owner must verify the address again. */
function replaceContacts(world: World, domain: Domain, set: XcpMap): void {
  const entries = Object.entries(set);
  if (entries.length === 0) throw new Refusal(460, 'Missing required field: contact_set');
  const faults = entries.flatMap(([type, contact]) => {
    if (!contactTypes.includes(type)) throw new Refusal(470, `Contact type not supported: ${type}`);
    return contactFaults(type, isMap(contact) ? contact : {});
  });
  if (faults.length > 0) throw new Refusal(465, 'Invalid data', { error: faults.join('\n') });
  const clean = entries.map(([type, contact]) => {
    const { also_apply_to: _, status: __, ...fields } = isMap(contact) ? contact : {};
    return [type, fields];
  });
  const contacts: XcpMap = { ...domain.contacts, ...(Object.fromEntries(clean) as XcpMap) };
  const sameOwner = personOf(contacts) === personOf(domain.contacts);
  const verification = alreadyVerified(world, contacts) ? 'verified' : 'verifying';
  updateDomain(world, domain, {
    contacts,
    ...(sameOwner ? {} : { verification, verificationAt: world.now() }),
  });
}

function updateContacts(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const domain = ownDomain(world, request);
  const types = textsOf(attributes, 'types');
  if (types.length === 0) throw new Refusal(460, 'Missing required field: types');
  const given = mapOf(attributes, 'contact_set');
  const set: XcpMap = {};
  for (const type of types) set[type] = mapOf(given, type);
  replaceContacts(world, domain, set);
  const details: XcpMap = {};
  for (const type of types) {
    details[type] = {
      [domain.domain]: { is_success: '1', response_code: '200', response_text: 'Contact updated' },
    };
  }
  return ok('Command completed successfully', { details });
}

function domainsContacts(world: World, request: XcpRequest): XcpReply {
  const names = textsOf(request.attributes, 'domain_list');
  if (names.length === 0) throw new Refusal(460, 'Missing required field: domain_list');
  const reply: XcpMap = {};
  for (const name of names) {
    const domain = findDomain(world, name.toLowerCase());
    if (domain) reply[domain.domain] = { contact_set: withStatus(domain.contacts) };
  }
  return ok('Command Successful', reply);
}

export const modifyCommands: CommandTable = {
  'MODIFY DOMAIN': modify,
  'UPDATE_CONTACTS DOMAIN': updateContacts,
  'GET_DOMAINS_CONTACTS DOMAIN': domainsContacts,
};
