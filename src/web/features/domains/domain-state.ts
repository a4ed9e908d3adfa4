import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { daysUntil, renewSoonDays } from '#contracts/values/domain-life.ts';
import { isVerificationUrgent, verificationDaysLeft } from '#contracts/values/registrant-verification.ts';
import { type Tone, worstFirst } from '../../ui/tone.ts';
import { daysText, expiryText } from './expiry-text.ts';
import { flagsOf } from './flags.ts';

export interface DomainFact {
  key: 'life' | 'expiry' | 'registrant' | 'lock' | 'dns';
  tone: Tone;
  text: string;
}

/** The portal renews earlier than this; what it has not renewed by now needs somebody. */
const renewalLateDays = 7;

/** The whole state of a domain, the worst first: its life, the registrant, the expiry, the lock, the DNS. */
export function domainFacts(domain: DomainDetails, now: Date, site: string): DomainFact[] {
  const gone = goneFact(domain);
  if (gone) return [gone];
  const registrant = registrantFact(domain, now);
  const expiry = expiryFact(domain, now);
  const suspended = domain.verification?.state === 'suspended';
  const expired = domain.status === 'expired';
  // A name that does not work is not called active.
  const life: DomainFact[] = suspended || expired ? [] : [{ key: 'life', tone: 'good', text: 'Active' }];
  const facts = [...life, lockFact(domain), expiry, dnsFact(domain, site), registrant];
  return worstFirst(facts.filter((fact) => fact !== null));
}

/** What the list and the page of a domain call a name that has left; null while it is here. */
export function leftFact({ status, missing }: Pick<DomainDetails, 'status' | 'missing'>): DomainFact | null {
  if (status !== 'ended' && !missing) return null;
  return { key: 'life', tone: 'bad', text: 'No longer in your account' };
}

/** Deleted, gone or not here yet: nothing else matters then. */
function goneFact(domain: DomainDetails): DomainFact | null {
  const { status, restorable_until: until } = domain;
  const key = 'life';
  if (until) return { key, tone: 'bad', text: 'Deleted, can be restored' };
  const left = leftFact(domain);
  if (left) return left;
  return status === 'transferring' ? { key, tone: 'info', text: 'Transfer under way' } : null;
}

function registrantFact({ verification }: DomainDetails, now: Date): DomainFact | null {
  const key = 'registrant';
  if (!verification || verification.state === 'verified') return null;
  if (verification.state === 'suspended') return { key, tone: 'bad', text: 'Suspended' };
  if (verification.state === 'reviewing') return { key, tone: 'info', text: 'Registrant under review' };
  const deadline = verification.deadline === null ? null : new Date(verification.deadline);
  const days = verificationDaysLeft(deadline, now);
  const urgent = verification.bounced || isVerificationUrgent(deadline, now);
  const left = days === null ? '' : `: ${daysText(days)} left`;
  return { key, tone: urgent ? 'bad' : 'warn', text: `Registrant not verified${left}` };
}

function expiryFact(domain: DomainDetails, now: Date): DomainFact | null {
  const key = 'expiry';
  const { registry_expiredate: at } = domain;
  if (!at) return null;
  const days = daysUntil(new Date(at), now);
  const { autoRenew } = flagsOf(domain);
  if (days < 0) return { key, tone: 'bad', text: expiryText(days) };
  if (!autoRenew) {
    return days < renewSoonDays
      ? { key, tone: 'bad', text: expiryText(days) }
      : { key, tone: 'plain', text: 'Auto renew off' };
  }
  return days < renewalLateDays
    ? { key, tone: 'warn', text: `${expiryText(days)}, not renewed yet` }
    : { key, tone: 'good', text: 'Auto renew on' };
}

function lockFact(domain: DomainDetails): DomainFact {
  const { locked } = flagsOf(domain);
  return { key: 'lock', tone: locked ? 'good' : 'warn', text: locked ? 'Locked' : 'Unlocked' };
}

function dnsFact(domain: DomainDetails, site: string): DomainFact | null {
  const key = 'dns';
  if (domain.managed_dns) return { key, tone: 'plain', text: `${site} DNS` };
  if (domain.nameserver_list.length > 0) return { key, tone: 'plain', text: 'Own DNS' };
  return domain.live ? { key, tone: 'warn', text: 'No nameservers' } : null;
}
