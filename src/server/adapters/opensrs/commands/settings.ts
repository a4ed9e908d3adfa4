import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { Registrar } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { toWire, UnfitInput } from '../contacts.ts';
import { type Gateway, plain } from '../gateway.ts';
import { meaningOf, type Rule, wordsOf } from '../outcome.ts';
import type { Reply } from '../parse.ts';
import { busyText, refusalText } from '../texts.ts';
import { flag, isMap, map, maps, text, type XcpAttributes, type XcpMap } from '../xcp.ts';

export type SettingCommands = Pick<
  Registrar,
  | 'setLock'
  | 'setAutoRenew'
  | 'setPrivacy'
  | 'setContacts'
  | 'setNameservers'
  | 'useRegistrarNameservers'
  | 'dsRecords'
  | 'removeDsRecords'
>;

/** .com takes 2 to 13 (§4, checked 2026-11-21). */
const nameserverCount = { least: 2, most: 13 };

export function settingCommands(gateway: Gateway): SettingCommands {
  /** `affect_domains` 0 always: 1 would change every name of the profile (§12). */
  const modify = (domain: string, change: XcpAttributes, fence: Fence) =>
    gateway.act(
      {
        command: commands.modify,
        fence,
        domain,
        attributes: () => ({ domain, affect_domains: '0', ...change }),
      },
      detailed(commands.modify.rules),
    );

  const assign = (domain: string, names: string[], fence: Fence) =>
    gateway.act(
      {
        command: commands.nameservers,
        fence,
        domain,
        attributes: () => {
          if (names.length < nameserverCount.least || names.length > nameserverCount.most) {
            throw new UnfitInput('A domain needs 2 to 13 nameservers.');
          }
          return { domain, op_type: 'assign', assign_ns: names };
        },
      },
      plain,
    );

  /** Tells the registry of hosts elsewhere that it has not heard of (§13.2). Returns whether it took any. */
  async function introduce(domain: string, names: string[], fence: Fence): Promise<boolean> {
    const tld = domain.slice(domain.lastIndexOf('.'));
    const foreign = names.filter((name) => !name.endsWith(tld));
    const outcomes = await Promise.all(
      foreign.map((fqdn) =>
        gateway.act(
          { command: commands.addToRegistry, fence, attributes: () => ({ fqdn, tld, all: '0' }) },
          plain,
        ),
      ),
    );
    return outcomes.some((outcome) => outcome.kind === 'done');
  }

  return {
    setLock: (domain, locked, fence) =>
      modify(domain, { data: 'status', lock_state: locked ? '1' : '0' }, fence),

    /** Both flags are required; a name that is not renewed is let expire (§12). */
    setAutoRenew: (domain, on, fence) =>
      modify(
        domain,
        { data: 'expire_action', auto_renew: on ? '1' : '0', let_expire: on ? '0' : '1' },
        fence,
      ),

    setPrivacy: (domain, on, fence) =>
      modify(domain, { data: 'whois_privacy_state', state: on ? 'enable' : 'disable' }, fence),

    setContacts: (domain, contacts, fence) =>
      gateway.act(
        {
          command: commands.contacts,
          fence,
          domain,
          attributes: () => {
            const wire: XcpAttributes = {};
            for (const [type, contact] of Object.entries(contacts)) {
              if (contact) wire[type] = toWire(contact);
            }
            return { domain, types: Object.keys(wire), contact_set: wire };
          },
        },
        detailed(commands.contacts.rules),
      ),

    async setNameservers(domain, names, fence) {
      const outcome = await assign(domain, names, fence);
      const unheardOf =
        outcome.kind === 'refused' &&
        (outcome.code === '480' || outcome.code === '435') &&
        /name ?server/i.test(outcome.text);
      if (!unheardOf || !(await introduce(domain, names, fence))) return outcome;
      return assign(domain, names, fence);
    },

    async dsRecords(domain) {
      const { attributes } = await gateway.read(commands.get, { domain, type: 'dnssec' });
      return maps(attributes, 'dnssec').map((entry) => ({
        keyTag: text(entry, 'key_tag') ?? '',
        algorithm: text(entry, 'algorithm') ?? '',
        digestType: text(entry, 'digest_type') ?? '',
        digest: (text(entry, 'digest') ?? '').toUpperCase(),
      }));
    },

    /** The list is replaced as a whole (§12): an empty one takes all away. */
    removeDsRecords: (domain, fence) => modify(domain, { data: 'dnssec', dnssec: [] }, fence),

    useRegistrarNameservers: (domain, fence) =>
      gateway.act(
        { command: commands.forceNameservers, fence, domain, attributes: () => ({ domain }) },
        plain,
      ),
  };
}

/** The details of each domain or contact inside the reply count before the outer code (§12). */
function detailed(rules: readonly Rule[]) {
  return (reply: Reply, meaning: 'done' | 'pending'): Outcome<void> => {
    for (const inner of innerReplies(map(reply.attributes, 'details'))) {
      const said = meaningOf(inner, rules);
      if (said.kind === 'refused') {
        const text = said.text ?? refusalText(said.reason, wordsOf(inner));
        return { kind: 'refused', reason: said.reason, code: inner.code, text };
      }
      if (said.kind === 'busy') return { kind: 'busy', code: inner.code, text: busyText };
      if (said.kind === 'unknown') return { kind: 'unknown', text: `${inner.code} ${wordsOf(inner) ?? ''}` };
    }
    return plain(reply, meaning);
  };
}

function innerReplies(details: XcpMap | undefined): Reply[] {
  if (!details) return [];
  const inside = Object.values(details).filter(isMap).flatMap(innerReplies);
  const code = text(details, 'response_code');
  if (code === null) return inside;
  const said = text(details, 'response_text') ?? '';
  const own = { code, success: flag(details, 'is_success'), text: said, attributes: details, top: details };
  return [own, ...inside];
}
