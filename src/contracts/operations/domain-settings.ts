import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { hostName } from '../values/domain-name.ts';
import { nameserverList } from '../values/nameservers.ts';
import { verificationStates } from '../values/registrant-verification.ts';
import { domainParams } from './domains.ts';

/** One domain in detail, and its settings at the registrar (P2 §2, §3, §7). */

const text = z.string();
export const contactTypes = ['tech', 'billing', 'owner', 'admin'] as const;

/** P2 §3, with what a contact has besides. */
export const registryContact = z.object({
  first_name: text,
  last_name: text,
  org_name: text,
  address1: text,
  address2: text,
  address3: text,
  city: text,
  state: text,
  postal_code: text,
  country: text,
  email: text,
  phone: text,
});
export type RegistryContact = z.output<typeof registryContact>;

const flag = z.union([z.literal(0), z.literal(1)]);

export const domainDetails = z.object({
  domain: text,
  customerId: z.uuid().nullable(),
  customer: text,
  /** 'transferring' is special (P2 §3). */
  status: z.enum(['active', 'transferring', 'expired', 'ended']),
  /** The registrar does not have it in the portal's account any more. */
  missing: z.boolean(),
  registry_createdate: z.iso.datetime().nullable(),
  registry_expiredate: z.iso.datetime().nullable(),
  nameserver_list: z.array(z.object({ name: text })),
  /** The delegation points at the provider's DNS hosts; null while nobody knows where it points. */
  managed_dns: z.boolean().nullable(),
  contact_set: z.partialRecord(z.enum(contactTypes), registryContact),
  /** Only when asked for by `type=domain_auth_info`, and only of an unlocked domain. */
  domain_auth_info: text.nullable(),
  /** P2 §5: not equal to 0 means locked, and on. */
  ext_results: z.array(z.record(text, z.object({ lock_state: flag, auto_renew: flag }))),
  /** The registry has deleted the name: it can be had back until then. null: it is not deleted. */
  restorable_until: z.iso.datetime().nullable(),
  /** The registrant's data is hidden from the public registry; null where the suffix has no such thing, or nobody knows. */
  privacy: z.boolean().nullable(),
  /** Whether the registrant has confirmed their email address; null while the registrar has not said. */
  verification: z
    .object({
      state: z.enum(verificationStates),
      /** Until then they have to confirm; null when there is no such day. */
      deadline: z.iso.datetime().nullable(),
      /** The registrar's email could not be delivered. */
      bounced: z.boolean(),
      /** When the portal last had the email sent again. */
      sentAt: z.iso.datetime().nullable(),
    })
    .nullable(),
  /** The registrar was asked just now; else this is the portal's own copy of `syncedAt`. */
  live: z.boolean(),
  syncedAt: z.iso.datetime().nullable(),
  /** How long a change of the registrant's name, organization or email keeps the domain from leaving. */
  registrant_lock_days: z.int(),
  stations: z.array(
    z.object({
      kind: z.enum([
        'registered',
        'transferred',
        'renewed',
        'transfer-lock-ends',
        'expires',
        'grace-ends',
        'redemption-ends',
        'deleted',
      ]),
      at: z.iso.datetime(),
    }),
  ),
});
export type DomainDetails = z.output<typeof domainDetails>;

export const getDomainDetails = defineOperation({
  id: 'domains.details',
  method: 'GET',
  path: '/domain/details/:domain',
  summary: 'Get one domain: all registrar data, its auth password, or the portal’s own copy',
  access: 'domains.read',
  audit: 'domains.readAuthPassword',
  params: domainParams,
  query: z.object({ type: z.enum(['all_info', 'domain_auth_info', 'none']).default('none') }),
  reply: domainDetails,
  errors: ['not_found', 'forbidden', 'upstream_unavailable'],
  freshSignIn: { when: 'the auth password is requested' },
  sensitive: true,
});

/** What a setting is after a change; `notice` when the registrar takes it up later. */
export const settingResult = z.object({ domain: text, notice: text.nullable() });
export type SettingResult = z.output<typeof settingResult>;

export const settingErrors = [
  'not_found',
  'forbidden',
  'unprocessable',
  'registrar_refused',
  'upstream_unavailable',
  'outcome_unknown',
] as const;

export const lockDomain = defineOperation({
  id: 'domains.lock',
  method: 'POST',
  path: '/domain/lock_domain',
  summary: 'Lock a domain against transfers',
  access: 'domains.settings',
  audit: 'domains.lock',
  body: z.object({ domain: hostName }),
  reply: settingResult,
  errors: settingErrors,
});

export const unlockDomain = defineOperation({
  id: 'domains.unlock',
  method: 'POST',
  path: '/domain/unlock_domain',
  summary: 'Unlock a domain so that it can be transferred away',
  access: 'domains.unlock',
  audit: 'domains.unlock',
  body: z.object({ domain: hostName }),
  reply: settingResult,
  errors: settingErrors,
  freshSignIn: true,
});

export const setPrivacy = defineOperation({
  id: 'domains.privacy',
  method: 'POST',
  path: '/domain/privacy',
  summary: 'Set whether the registrant’s data is hidden from the public registry. Free of charge',
  access: 'domains.settings',
  audit: 'domains.privacy',
  body: z.object({ domain: hostName, enabled: z.boolean() }),
  reply: settingResult,
  errors: settingErrors,
});

export const resendVerification = defineOperation({
  id: 'domains.resendVerification',
  method: 'POST',
  path: '/domain/resend_verification',
  summary: 'Resend the email that asks the registrant to confirm their address',
  access: 'domains.settings',
  audit: 'domains.resendVerification',
  body: z.object({ domain: hostName }),
  reply: settingResult,
  errors: settingErrors,
});

export const setAutoRenew = defineOperation({
  id: 'domains.autoRenew',
  method: 'POST',
  path: '/domain/auto_renew',
  summary: 'Set whether the portal renews a domain before it expires',
  access: 'domains.settings',
  audit: 'domains.autoRenew',
  body: z.object({ domain: hostName, enabled: z.boolean() }),
  reply: settingResult,
  errors: settingErrors,
});

/**
 * Nameservers of a signed domain change only when this is said: 409 `signed_domain` otherwise, with its DS records. The
 * new ones must have the same keys, or nobody finds the domain any more.
 */
export const dnssecConfirmed = z.boolean().optional();

export const updateNameservers = defineOperation({
  id: 'domains.updateNameservers',
  method: 'POST',
  path: '/:domain/nameserver/update_nameservers',
  summary: 'Delegate a domain to the owner’s own nameservers',
  access: 'domains.settings',
  audit: 'domains.updateNameservers',
  params: domainParams,
  body: z.object({
    nameservers: nameserverList,
    dnssecConfirmed,
  }),
  reply: settingResult,
  errors: [...settingErrors, 'signed_domain'],
});
