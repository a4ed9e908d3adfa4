import { AppError } from '#contracts/errors.ts';
import type { TransferCheckReply } from '#contracts/operations/transfers.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Rdap } from '../../ports/rdap.ts';
import type { ZoneSource } from '../../ports/zone-source.ts';
import { type DomainPricing, type DomainsApi, isManaged } from '../domains/index.ts';
import type { Hindrance, Line, LineFacts } from './line.ts';
import { usualDns } from './moves.rules.ts';
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

/** Of what a registry calls a registrar; none is longer. */
const registrarMost = 200;

/** What is found out about a name before it is ordered: what is in the way, its price, its zone. */
export function createChecking(deps: CheckingDeps) {
  const findZone = createZoneFinder(deps.zoneSource);

  async function priceOf({ organisationId }: Scope, address: string): Promise<number> {
    const price = await withFairnessKey(organisationId, () => deps.pricing.price(address, 'transfer', 1));
    return price.priceCents;
  }

  return async function check(scope: Scope, { address }: Pick<Line, 'address'>) {
    const said = await factsOf(scope, address);
    const isLost =
      said.hindrance !== null && said.hindrance.kind !== 'locked' && said.hindrance.kind !== 'young';
    const [zone, registration] = await Promise.all([
      isLost || !said.nameservers ? null : orNull(findZone(address, said.nameservers)),
      isLost ? null : orNull(deps.rdap.registration(address)),
    ]);
    const facts: LineFacts = {
      ...said,
      registrar: registration?.registrar?.slice(0, registrarMost) ?? null,
      expiresAt: registration?.expiresAt?.toISOString() ?? null,
    };
    return { facts, zone, dns: usualDns(facts, zone, (names) => isManaged(names, deps.managed)) };
  };

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
