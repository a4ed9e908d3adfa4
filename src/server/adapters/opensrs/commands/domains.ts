import type { VerificationState } from '#contracts/values/registrant-verification.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { Lookup, Registrar, RegistrarDomain } from '../../../ports/registrar.ts';
import { readTag } from '../../../ports/tag.ts';
import { commands } from '../command-table.ts';
import { fromWire } from '../contacts.ts';
import { cents, date, dayText, integer } from '../fields.ts';
import { type Gateway, plain } from '../gateway.ts';
import type { Reply } from '../parse.ts';
import { flag, map, maps, text, type XcpMap } from '../xcp.ts';

export type DomainCommands = Pick<
  Registrar,
  'lookup' | 'quote' | 'balance' | 'domain' | 'authCode' | 'expiring' | 'verification' | 'resendVerification'
>;

/** Page size of listings that the vendor documents (§4, checked 2026-11-21). */
const pageSize = 40;

export function domainCommands(gateway: Gateway, timeouts: { listMs: number }): DomainCommands {
  return {
    async lookup(domain, options) {
      const attributes = { domain, ...(options?.fresh ? { no_cache: '1' } : {}) };
      const reply = await gateway.read(commands.lookup, attributes, {
        accept: (other) => other.success && statusOf(other) !== null,
      });
      const status = statusOf(reply);
      if (!status) throw new UpstreamUnavailable(`registrar: a look-up without a status for ${domain}`);
      return { status, reason: text(reply.attributes, 'reason') };
    },

    async quote(domain, kind, years) {
      const reply = await gateway.read(commands.price, { domain, period: String(years), reg_type: kind });
      const costCents = cents(reply.attributes, 'price');
      if (costCents === null || costCents < 0) {
        throw new UpstreamUnavailable(`registrar: a quote without a price for ${domain}`);
      }
      return { costCents, premium: flag(reply.attributes, 'is_registry_premium') };
    },

    async balance() {
      const { attributes } = await gateway.read(commands.balance, {});
      const balanceCents = cents(attributes, 'balance');
      if (balanceCents === null) throw new UpstreamUnavailable('registrar: a balance without a figure');
      return { balanceCents, heldCents: cents(attributes, 'hold_balance') ?? 0 };
    },

    async domain(domain) {
      const get = (type: string) => gateway.read(commands.get, { domain, type });
      // Lock and privacy are not part of `all_info` (§11).
      const [all, status, privacy] = await Promise.all([
        orNotHere(get('all_info')),
        orNotHere(get('status')),
        orRefused(get('whois_privacy_state')),
      ]);
      return all && status ? domainOf(domain, all.attributes, status.attributes, privacy?.attributes) : null;
    },

    async authCode(domain) {
      const reply = await gateway.read(commands.get, { domain, type: 'domain_auth_info' });
      return text(reply.attributes, 'domain_auth_info');
    },

    async *expiring(from, to) {
      const seen = new Set<string>();
      for (let page = 1; ; page++) {
        const reply = await gateway.read(
          commands.expiring,
          { exp_from: dayText(from), exp_to: dayText(to), page: String(page), limit: String(pageSize) },
          { timeoutMs: timeouts.listMs },
        );
        const rows = maps(reply.attributes, 'exp_domains');
        const before = seen.size;
        for (const row of rows) {
          const domain = text(row, 'name')?.toLowerCase();
          const expiresAt = date(row, 'expiredate');
          // A page can shift while it is read: each name once.
          if (!domain || !expiresAt || seen.has(domain)) continue;
          seen.add(domain);
          yield { domain, expiresAt, autoRenew: flag(row, 'f_auto_renew') };
        }
        const isEmpty = rows.length === 0 && seen.size === 0;
        if (isEmpty || !flag(reply.attributes, 'remainder')) return;
        // A list that says it goes on and brings nothing new never ends, and is not the whole.
        if (seen.size === before)
          throw new UpstreamUnavailable('registrar: a page of names without one that is new');
      }
    },

    async verification(domain) {
      const { attributes } = await gateway.read(commands.verification, { domain });
      return {
        state: verificationState(text(attributes, 'registrant_verification_status')),
        deadline: date(attributes, 'verification_deadline'),
        daysToSuspend: integer(attributes, 'days_to_suspend'),
        emailBounced: flag(attributes, 'email_bounced'),
      };
    },

    resendVerification: (domain, fence) =>
      gateway.act(
        { command: commands.sendVerification, fence, domain, attributes: () => ({ domain }) },
        plain,
      ),
  };
}

/** The vendor's words (§15, checked 2026-11-21); "pending" and "unverified" are a letter that nobody has answered. */
const verifications: Record<string, VerificationState> = {
  not_verified: 'waiting',
  unverified: 'waiting',
  verifying: 'waiting',
  pending: 'waiting',
  admin_reviewing: 'reviewing',
  verified: 'verified',
  suspended: 'suspended',
};

/** Words in any case, with blanks or hyphens for the underscore. null: a word that nobody has documented. */
function verificationState(word: string | null): VerificationState | null {
  return verifications[word?.toLowerCase().replace(/[ -]/g, '_') ?? ''] ?? null;
}

const lookupCodes: Record<string, Lookup['status']> = { '210': 'available', '211': 'taken', '221': 'taken' };

/** The code decides, then the attribute; never `is_success` alone (§5). */
function statusOf(reply: Reply): Lookup['status'] | null {
  const byCode = lookupCodes[reply.code];
  if (byCode) return byCode;
  const status = text(reply.attributes, 'status')?.toLowerCase();
  return status === 'available' || status === 'taken' ? status : null;
}

/** null for a name that is not in our account (415) or not there at all (480). */
export async function orNotHere(read: Promise<Reply>): Promise<Reply | null> {
  try {
    return await read;
  } catch (error) {
    const gone = error instanceof UpstreamRefused && ['not-ours', 'not-found'].includes(error.reason);
    if (gone) return null;
    throw error;
  }
}

/** null for what the registrar does not tell, e.g. privacy of a name whose registry has none. */
async function orRefused(read: Promise<Reply>): Promise<Reply | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof UpstreamRefused) return null;
    throw error;
  }
}

function domainOf(domain: string, all: XcpMap, status: XcpMap, privacy: XcpMap | undefined): RegistrarDomain {
  const contacts = map(all, 'contact_set');
  const contact = (type: string) => {
    const found = map(contacts, type);
    return found ? { [type]: fromWire(found) } : {};
  };
  return {
    domain,
    registeredAt: date(all, 'registry_createdate'),
    expiresAt: date(all, 'registry_expiredate') ?? date(all, 'expiredate'),
    updatedAt: date(all, 'registry_updatedate'),
    transferredAt: date(all, 'registry_transferdate'),
    autoRenew: flag(all, 'auto_renew'),
    letExpire: flag(all, 'let_expire'),
    locked: flag(status, 'lock_state'),
    privacy: privacyOf(privacy),
    nameservers: maps(all, 'nameserver_list')
      .sort((a, b) => (integer(a, 'sortorder') ?? 0) - (integer(b, 'sortorder') ?? 0))
      .map((entry) => text(entry, 'name')?.toLowerCase() ?? '')
      .filter((name) => name !== ''),
    contacts: { ...contact('owner'), ...contact('admin'), ...contact('billing'), ...contact('tech') },
    tag: readTag(text(all, 'affiliate_id')).tag,
  };
}

function privacyOf(attributes: XcpMap | undefined): boolean | null {
  const state = text(attributes, 'state')?.toLowerCase();
  if (state === 'enabled' || state === 'enabling') return true;
  if (state === 'disabled' || state === 'disabling') return false;
  return null;
}
