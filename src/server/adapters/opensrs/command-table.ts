import type { Rule } from './outcome.ts';
import {
  conflict,
  notACommand,
  nothingToDo,
  orderRules,
  redemptionRules,
  renewalRules,
  transferRules,
} from './rules.ts';

/** One command of the registrar: its words on the wire, and what its codes mean beyond the common ones. */
export interface Command {
  action: string;
  object: string;
  rules: readonly Rule[];
}

const domain = (action: string, rules: readonly Rule[] = []): Command => ({
  action,
  object: 'DOMAIN',
  rules,
});
const host = (action: string, rules: readonly Rule[] = []): Command => ({
  action,
  object: 'NAMESERVER',
  rules,
});
const trust = (action: string, rules: readonly Rule[] = []): Command => ({
  action,
  object: 'TRUST_SERVICE',
  rules,
});

/** Every command the adapter sends (§§5–16). */
export const commands = {
  lookup: domain('LOOKUP', [
    { code: '210', success: true, meaning: { kind: 'done' } },
    { code: '211', success: true, meaning: { kind: 'done' } },
    { code: '221', success: true, meaning: { kind: 'done' } },
  ]),
  suggest: domain('NAME_SUGGEST'),
  price: domain('GET_PRICE'),
  balance: domain('GET_BALANCE'),

  register: domain('SW_REGISTER', [...orderRules, conflict('taken')]),
  transfer: domain('SW_REGISTER', [...transferRules, ...orderRules, conflict('taken')]),
  renew: domain('RENEW', [...renewalRules, ...orderRules]),
  redeem: domain('REDEEM', redemptionRules),
  cancelPending: domain('PROCESS_PENDING'),

  get: domain('GET'),
  belongs: domain('BELONGS_TO_RSP'),
  order: domain('GET_ORDER_INFO'),
  ordersByDomain: domain('GET_ORDERS_BY_DOMAIN'),
  expiring: domain('GET_DOMAINS_BY_EXPIREDATE'),
  checkTransfer: domain('CHECK_TRANSFER'),
  transfersIn: domain('GET_TRANSFERS_IN'),
  cancelTransfer: { action: 'CANCEL_TRANSFER', object: 'TRANSFER', rules: [] },

  modify: domain('MODIFY', [nothingToDo]),
  contacts: domain('UPDATE_CONTACTS', [nothingToDo]),
  nameservers: domain('ADVANCED_UPDATE_NAMESERVERS', [nothingToDo]),
  addToRegistry: host('REGISTRY_ADD_NS'),

  hosts: host('GET'),
  createHost: host('CREATE', [conflict('already-done')]),
  updateHost: host('MODIFY', [
    {
      code: '400',
      text: /unable to change nameserver hostname/i,
      meaning: { kind: 'refused', reason: 'invalid' },
    },
    conflict('in-use'),
    nothingToDo,
  ]),
  deleteHost: host('DELETE', [conflict('in-use')]),

  zone: domain('GET_DNS_ZONE'),
  createZone: domain('CREATE_DNS_ZONE', [conflict('already-done')]),
  setZone: domain('SET_DNS_ZONE', [nothingToDo]),
  deleteZone: domain('DELETE_DNS_ZONE'),
  forceNameservers: domain('FORCE_DNS_NAMESERVERS', [nothingToDo]),

  verification: domain('GET_REGISTRANT_VERIFICATION_STATUS'),
  sendVerification: domain('SEND_REGISTRANT_VERIFICATION_EMAIL'),

  parseCsr: trust('PARSE_CSR'),
  approvers: trust('QUERY_APPROVER_LIST'),
  orderCertificate: trust('SW_REGISTER', orderRules),
  certificateOrder: trust('GET_ORDER_INFO'),
  certificateOrdersByDomain: trust('GET_ORDERS_BY_DOMAIN', notACommand),
  certificate: trust('GET_CERT'),
  updateValidation: trust('UPDATE_DV_AUTH', [nothingToDo]),
  resendApproval: trust('RESEND_APPROVE_EMAIL'),
  cancelCertificate: trust('CANCEL_ORDER'),

  poll: { action: 'POLL', object: 'EVENT', rules: [] },
  acknowledge: { action: 'ACK', object: 'EVENT', rules: [] },
} satisfies Record<string, Command>;
