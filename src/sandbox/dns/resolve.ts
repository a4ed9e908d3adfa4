import type { Answer } from 'dns-packet';
import type { RegistrarReader } from '../registrar/read.ts';
import type { Hosted } from './hosted.ts';
import type { Outside } from './outside.ts';
import { lookInZone, nsOf, soaOf, TTL_SECONDS, type ZoneView } from './zone.ts';

export interface Resolution {
  rcode: number;
  authoritative: boolean;
  answers: Answer[];
  authorities: Answer[];
  additionals: Answer[];
}

const NOERROR = 0;
const NXDOMAIN = 3;
const CHAIN_LIMIT = 8;

export interface ResolveContext {
  reader: RegistrarReader;
  /** Where the service hosts are reached: this server. */
  address: string;
  /** The rest of the world. */
  outside: Outside;
  /** Zones at the DNS of others. */
  hosted: Hosted;
}

/**
 * Answers as parent and registrar at once: authoritative for zones on the registrar's hosts, and for other names the
 * delegation that the registry publishes.
 */
export function resolve(context: ResolveContext, asked: string, type: string): Resolution {
  const answers: Answer[] = [];
  let name = asked;
  for (let step = 0; ; step += 1) {
    const found = resolveOnce(context, name, type);
    answers.push(...found.answers);
    const alias = found.answers.find((answer) => answer.type === 'CNAME');
    const follow = alias?.type === 'CNAME' && type !== 'CNAME' && type !== 'ANY' && step < CHAIN_LIMIT;
    // Other servers' names are the resolver's to look up, not ours.
    if (!follow || !served(context, alias.data)) return { ...found, answers };
    name = alias.data.toLowerCase();
  }
}

function served(context: ResolveContext, name: string): boolean {
  const cut = cutOf(context, name.toLowerCase());
  return cut !== null && (cut.delegation.served || context.hosted.view(context.reader, cut.domain) !== null);
}

interface Cut {
  domain: string;
  delegation: { nameservers: string[]; served: boolean };
}

/** The registered name at or above a name. */
function cutOf({ reader }: ResolveContext, name: string): Cut | null {
  const labels = name.split('.');
  for (let from = labels.length - 2; from >= 0; from -= 1) {
    const domain = labels.slice(from).join('.');
    const delegation = reader.delegation(domain);
    if (delegation) return { domain, delegation };
  }
  return null;
}

function resolveOnce(context: ResolveContext, name: string, type: string): Resolution {
  const { reader, address } = context;
  if (reader.serviceHosts().includes(name)) return hostReply(name, type, addresses(address));
  const cut = cutOf(context, name);
  if (!cut) return elsewhere(context, name, type);
  const { domain, delegation } = cut;
  // The registry's, not the zone's.
  if (name === domain && type === 'DS') return dsReply(context, domain);
  const hosted = context.hosted.view(reader, domain);
  if (delegation.served || hosted) {
    const zone = reader.zone(domain) ?? { serial: 1, records: {} };
    const view: ZoneView = hosted ?? { domain, nameservers: delegation.nameservers, ...zone };
    const found = lookInZone(view, name, type);
    const hostGlue = reader.glue(name);
    if (!found.exists && hostGlue) return hostReply(name, type, hostGlue);
    return {
      rcode: found.exists ? NOERROR : NXDOMAIN,
      authoritative: true,
      answers: found.answers,
      authorities: found.answers.length === 0 ? [soaOf(view)] : [],
      additionals: [],
    };
  }
  return referral(context, name, type, cut);
}

/** Others serve the name: where they are, or what is known of the name itself. */
function referral(
  context: ResolveContext,
  name: string,
  type: string,
  { domain, delegation }: Cut,
): Resolution {
  const { reader } = context;
  const glue = reader.glue(name);
  if (glue) return hostReply(name, type, glue);
  // Others hold it and serve it themselves; its nameservers are the registry's to tell.
  if (type !== 'NS' && context.outside.find(name, type).exists) return elsewhere(context, name, type);
  const delegated = nsOf(domain, delegation.nameservers);
  const isAnswer = name === domain && (type === 'NS' || type === 'ANY');
  return {
    rcode: NOERROR,
    authoritative: false,
    answers: isAnswer ? delegated : [],
    authorities: isAnswer ? [] : delegated,
    additionals: delegation.nameservers.flatMap((host) => glueAnswers(host, reader.glue(host))),
  };
}

function dsReply({ hosted }: ResolveContext, domain: string): Resolution {
  const answers = hosted.ds(domain);
  return { rcode: NOERROR, authoritative: true, answers, authorities: [], additionals: [] };
}

function addresses(address: string): { ipv4: string; ipv6: string } {
  return address.includes(':') ? { ipv4: '', ipv6: address } : { ipv4: address, ipv6: '' };
}

function hostReply(name: string, type: string, glue: { ipv4: string; ipv6: string }): Resolution {
  const answers = glueAnswers(name, glue).filter((answer) => type === 'ANY' || answer.type === type);
  return { rcode: NOERROR, authoritative: true, answers, authorities: [], additionals: [] };
}

function glueAnswers(name: string, glue: { ipv4: string; ipv6: string } | null): Answer[] {
  const found: Answer[] = [];
  if (glue?.ipv4) found.push({ type: 'A', name, ttl: TTL_SECONDS, data: glue.ipv4 });
  if (glue?.ipv6) found.push({ type: 'AAAA', name, ttl: TTL_SECONDS, data: glue.ipv6 });
  return found;
}

/** What others serve; a name that nobody has is answered by the registry of its suffix. */
function elsewhere({ outside }: ResolveContext, name: string, type: string): Resolution {
  const { exists, answers } = outside.find(name, type);
  if (!exists) return missing(name);
  return { rcode: NOERROR, authoritative: false, answers, authorities: [], additionals: [] };
}

/** Nobody has it: the registry of its suffix says so. */
function missing(name: string): Resolution {
  const suffix = name.split('.').slice(1).join('.') || name;
  const soa = soaOf({ domain: suffix, serial: 1, nameservers: ['a.registry.example'] });
  return { rcode: NXDOMAIN, authoritative: true, answers: [], authorities: [soa], additionals: [] };
}
