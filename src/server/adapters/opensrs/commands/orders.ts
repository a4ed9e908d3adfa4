import type { Outcome } from '../../../ports/outcome.ts';
import type { Registrar } from '../../../ports/registrar.ts';
import { writeTag } from '../../../ports/tag.ts';
import { commands } from '../command-table.ts';
import { credentials, toWire } from '../contacts.ts';
import { centsToText, date } from '../fields.ts';
import { type Gateway, pendingOf } from '../gateway.ts';
import { wordsOf } from '../outcome.ts';
import type { Reply } from '../parse.ts';
import { flag, map, oneLine, text, type XcpAttributes } from '../xcp.ts';
import { createLeftOvers } from './left-overs.ts';
import { type OrderQueries, orderQueries } from './order-queries.ts';

export type OrderCommands = OrderQueries & Pick<Registrar, 'register' | 'renew' | 'redeem' | 'transferIn'>;

/** Registrations, renewals and transfers in (§§8–10), and finding them again. */
export function orderCommands(gateway: Gateway): OrderCommands {
  const queries = orderQueries(gateway);
  const { dropLeftOver, isHeldBack } = createLeftOvers(gateway, queries.order);

  /** What registrations and transfers have in common in their answer. */
  function accepted<T>(
    reply: Reply,
    meaning: 'done' | 'pending',
    tag: string,
    value: (orderId: string) => T,
  ): Outcome<T> {
    const inner = text(reply.attributes, 'registration_code');
    if (isHeldBack(reply, tag) || meaning === 'pending' || inner === '250') return pendingOf(reply);
    const id = orderIdAt(reply, ['id', 'order_id']);
    if ((inner !== null && inner !== '200') || id === null) {
      return {
        kind: 'unknown',
        text: `an answer that contradicts itself: ${reply.code}, ${inner}, order ${id}`,
      };
    }
    return { kind: 'done', value: value(id) };
  }

  return {
    ...queries,

    register: (input, fence) =>
      gateway.act(
        {
          command: commands.register,
          fence,
          domain: input.domain,
          irreversible: true,
          afterRefusal: dropLeftOver(input.tag, fence),
          attributes: () => registrationOf(input),
        },
        (reply, meaning) =>
          accepted(reply, meaning, input.tag, (orderId) => ({
            orderId,
            notes: notesOf(reply, input.privacy),
          })),
      ),

    renew: (input, fence) =>
      gateway.act(
        {
          command: commands.renew,
          fence,
          domain: input.domain,
          irreversible: true,
          afterRefusal: dropLeftOver(input.tag, fence),
          attributes: () => ({
            domain: input.domain,
            currentexpirationyear: String(input.currentExpiryYear),
            period: String(input.years),
            handle: 'process',
            auto_renew: input.autoRenew ? '1' : '0',
            affiliate_id: writeTag(input.tag, input.origin),
          }),
        },
        (reply, meaning) => {
          if (isHeldBack(reply, input.tag) || meaning === 'pending') return pendingOf(reply);
          // `id` is another number (§9).
          const orderId = orderIdAt(reply, ['order_id']);
          const expiresAt = date(reply.attributes, 'registration expiration date');
          if (orderId === null || expiresAt === null) {
            return { kind: 'unknown', text: `a renewal with order ${orderId} and no readable expiry` };
          }
          return { kind: 'done', value: { orderId, expiresAt } };
        },
      ),

    /** The reply names no order (§15): a caller that needs its number asks for the name's orders. */
    redeem: (input, fence) =>
      gateway.act(
        {
          command: commands.redeem,
          fence,
          domain: input.domain,
          irreversible: true,
          attributes: () => ({ domain: input.domain, affiliate_id: writeTag(input.tag, input.origin) }),
        },
        (reply, meaning) => {
          if (isHeldBack(reply, input.tag) || meaning === 'pending') return pendingOf(reply);
          return { kind: 'done', value: { orderId: orderIdAt(reply, ['order_id', 'id']) } };
        },
      ),

    transferIn: (input, fence) =>
      gateway.act(
        {
          command: commands.transfer,
          fence,
          domain: input.domain,
          irreversible: true,
          afterRefusal: dropLeftOver(input.tag, fence),
          attributes: () => transferOf(input),
        },
        (reply, meaning) => accepted(reply, meaning, input.tag, (orderId) => ({ orderId })),
      ),
  };
}

/** What is sent to register a name (§8). */
function registrationOf(input: Parameters<Registrar['register']>[0]): XcpAttributes {
  return {
    domain: input.domain,
    reg_type: 'new',
    period: String(input.years),
    handle: 'process',
    ...credentials(input.credentials),
    custom_nameservers: '0',
    f_lock_domain: '1',
    f_whois_privacy: input.privacy ? '1' : '0',
    auto_renew: input.autoRenew ? '1' : '0',
    affiliate_id: writeTag(input.tag, input.origin),
    ...(input.premiumCostCents === undefined
      ? {}
      : { premium_price_to_verify: centsToText(input.premiumCostCents) }),
    ...contactSet(input.contacts),
  };
}

/** What is sent to transfer one in (§10). */
function transferOf(input: Parameters<Registrar['transferIn']>[0]): XcpAttributes {
  return {
    domain: input.domain,
    reg_type: 'transfer',
    auth_info: input.authCode,
    period: '1',
    handle: 'process',
    ...credentials(input.credentials),
    // The name keeps its present nameservers; .com changes the contact with the transfer (§10.2).
    custom_transfer_nameservers: '0',
    change_contact: '1',
    f_lock_domain: '1',
    affiliate_id: writeTag(input.tag, input.origin),
    ...contactSet(input.contacts),
  };
}

function orderIdAt(reply: Reply, keys: string[]): string | null {
  for (const key of keys) {
    const value = text(reply.attributes, key);
    if (value && value !== '0') return value;
  }
  return null;
}

/** Without `tech`: the registrar puts the reseller's in its place. */
function contactSet(contacts: Parameters<Registrar['register']>[0]['contacts']): XcpAttributes {
  return {
    custom_tech_contact: '0',
    contact_set: {
      owner: toWire(contacts.owner),
      admin: toWire(contacts.admin),
      billing: toWire(contacts.billing),
    },
  };
}

/** What did not work although the name was registered (§8.2). */
function notesOf(reply: Reply, wantedPrivacy: boolean): string[] {
  const notes: string[] = [];
  const privacy = map(reply.attributes, 'whois_privacy');
  const state = text(reply.attributes, 'whois_privacy_state')?.toLowerCase();
  const refused = privacy !== undefined && !flag(privacy, 'is_success');
  if (wantedPrivacy && (refused || state === 'disabled')) {
    const why = text(privacy, 'response_text');
    notes.push(`Privacy could not be enabled${why ? `: ${oneLine(why)}` : '.'}`);
  }
  const error = text(reply.attributes, 'error');
  const said = error && wordsOf({ ...reply, text: error });
  if (said) notes.push(`The registrar says: “${said}”`);
  return notes;
}
