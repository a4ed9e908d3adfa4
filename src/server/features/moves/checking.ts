import { AppError } from '#contracts/errors.ts';
import type { TransferCheckReply } from '#contracts/operations/transfers.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Rdap, Registration } from '../../ports/rdap.ts';
import type { ZoneSource } from '../../ports/zone-source.ts';
import { type DomainPricing, type DomainsApi, isManaged } from '../domains/index.ts';
import type { Hindrance, Line, LineFacts, LineZone } from './line.ts';
import { lacksNeeded, usualDns } from './moves.rules.ts';
import { createZoneFinder } from './zone-finder.ts';

export interface CheckingDeps {
  /** As the screen of one transfer asks: the registrar, the delegation, DNSSEC. */
  domains: { transfers: Pick<DomainsApi['transfers'], 'check'> };
  pricing: DomainPricing;
  zoneSource: ZoneSource;
  rdap: Rdap;
  /** Hosts of the managed DNS. */
  managed: readonly string[];
}

export type Checking = ReturnType<typeof createChecking>;

/** Of what a registry calls a registrar; none is longer. */
const registrarMost = 200;

/**
 * What is found out about a name before it is ordered: what is in the way, its price, its zone. And its zone again, while it is on
 * its way.
 */
export function createChecking(deps: CheckingDeps) {
  const findZone = createZoneFinder(deps.zoneSource);

  async function priceOf({ organisationId }: Scope, address: string): Promise<number> {
    const price = await withFairnessKey(organisationId, () => deps.pricing.price(address, 'transfer', 1));
    return price.priceCents;
  }

  async function check(scope: Scope, { address }: Pick<Line, 'address'>) {
    const said = await factsOf(scope, address);
    const isLost =
      said.hindrance !== null && said.hindrance.kind !== 'locked' && said.hindrance.kind !== 'young';
    const [zone, registration] = await Promise.all([
      isLost || !said.nameservers ? null : orNull(findZone(address, said.nameservers)),
      isLost ? null : orNull(deps.rdap.registration(address)),
    ]);
    const facts: LineFacts = {
      ...said,
      registrar: registrarOf(registration),
      expiresAt: registration?.expiresAt?.toISOString() ?? null,
    };
    return { facts, zone, dns: usualDns(facts, zone, (names) => isManaged(names, deps.managed)) };
  }

  /** The zone as it is now, of a domain that is still at its old registrar; null: it cannot be told for certain. */
  async function zoneAgain({ address, facts, zone, stagedAt }: Line): Promise<LineZone | null> {
    if (!zone || !facts?.nameservers || !facts.registrar) return null;
    const known = zone.records.map(({ subdomain }) => subdomain).filter((name) => /^[^*]/.test(name));
    const found = await orNull(findZone(address, facts.nameservers, known));
    if (!found || found.records.length === 0) return null;
    // Names that nobody guesses would seem to be gone.
    if (zone.how === 'whole' && found.how !== 'whole') return null;
    // What waits here would lose what it has in place of that.
    if (stagedAt && lacksNeeded(found)) return null;
    // Asked afterwards: what was read is not what its old registrar shows once the domain has left.
    return registrarOf(await orNull(deps.rdap.registration(address))) === facts.registrar ? found : null;
  }

  return { check, zoneAgain };

  async function factsOf(scope: Scope, address: string): Promise<Omit<LineFacts, 'registrar' | 'expiresAt'>> {
    const none = { priceCents: null, nameservers: null, signed: false };
    let said: TransferCheckReply;
    try {
      said = await deps.domains.transfers.check(scope, address);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const kind = error.code === 'registrar_refused' ? 'refused' : 'unanswered';
      return { ...none, hindrance: { kind, text: error.message } };
    }
    const { domainResponse, dnsRecords } = said;
    const facts = {
      nameservers: dnsRecords.answered === 1 ? dnsRecords.NS : null,
      signed: dnsRecords.signed === 1,
    };
    const hindrance = hindranceOf(domainResponse);
    if (hindrance) return { ...facts, hindrance, priceCents: null };
    try {
      return { ...facts, hindrance: null, priceCents: await priceOf(scope, address) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { ...facts, priceCents: null, hindrance: { kind: 'unanswered', text: error.message } };
    }
  }
}

const registrarOf = (registration: Registration | null) =>
  registration?.registrar?.slice(0, registrarMost) ?? null;

/** null: it is not known. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return null;
    throw error;
  }
}

function hindranceOf({
  transferrable,
  hindrance,
  reason,
}: TransferCheckReply['domainResponse']): Hindrance | null {
  if (transferrable === 1) return null;
  return { kind: hindrance ?? 'refused', text: reason ?? 'the registry gave no reason' };
}
