import type { Permission } from '../permissions.ts';
import { type CertificateFlag, machineLateDays } from './certificate-life.ts';
import { daysUntil, expiresSoon, lapsePressingDays } from './domain-life.ts';
import { moneyText, utcDayText } from './format.ts';
import { isHealthKind, ruleOfFinding } from './health.ts';
import { isVerificationUrgent, verificationDaysLeft } from './registrant-verification.ts';

/**
 * What can wait for a person: each cause with its words, how pressing it is, who may see it and the one act that helps.
 * Features state the facts (`kernel/attention.ts`); everything that is said of them is said here, for screens, mails and the API.
 */

/** What a feature states beside object, customer, name and deadline. Moments are ISO texts: facts are stored. */
export interface AttentionFacts {
  /** A name that nobody renews; `planned`: the balance does not cover it. */
  renewal: {
    state: 'manual' | 'planned' | 'unable';
    reason: string | null;
    priceCents: number | null;
    autoRenew: boolean;
    expiresAt: string;
  };
  /** `underWay`: versions before did not write it. */
  certificate: CertificateFlag & { orderId: string; validTo: string | null; underWay?: boolean };
  /** Machines of an access did not get what they asked for. */
  acme: {
    accessId: string;
    name: string;
    /** What the machine was answered. */
    text: string;
    /** What the MSP can do about it, not for customers' users. Empty: the answer says it all. */
    advice: string;
    /** How many other sets of names had trouble and have it still. */
    others: number;
    at: string;
    /** When the present certificate of the names ends; null: there is none by ACME. */
    validTo: string | null;
  };
  /** A customer's direct payment failed; or it was disputed, and nothing more is charged to them. `chargeId`: versions before did not write it. */
  charge: { chargeId?: string; cents: number; error: string | null; retries: boolean; disputed?: true };
  /** Money that a customer is to have back was not sent. `chargeId`: as above. */
  refund: { chargeId?: string; cents: number; error: string | null };
  transfer: {
    state: 'approval' | 'release' | 'failed';
    /** It should have gone on by now. */
    late: boolean;
    reason: string | null;
    at: string;
  };
  registrant: { suspended: boolean; bounced: boolean };
  /** A checked file of customers waits for a decision. */
  import: { importId: string; good: number; faulty: number; at: string };
  /** A change of a zone whose outcome the registrar has not shown. */
  'zone-write': { at: string };
  /** A top-up that needs the payer, or auto balance that has stopped. */
  payment: { topUpId: string; cents: number; waits: 'person' | 'declined'; at: string };
  /** An order whose outcome the registrar's answers do not show. */
  order: { orderId: string; at: string };
  /** Findings about a domain that weigh: their kinds, with blanks between them. */
  health: { kinds: string; since: string };
  /** A change of many domains that is not finished; `left`: domains for which something is left to do. */
  change: {
    changeId: string;
    title: string;
    state: 'ready' | 'paused' | 'partly';
    left: number;
    note: string;
    at: string;
  };
  /** A checked list of transfers that nobody has ordered. */
  move: { moveId: string; names: number; at: string };
  /** A domain that came with a list, and whose DNS is not in order: what keeps it, or how many answers differ. */
  'move-dns': { moveId: string; held: string | null; differs: number; at: string };
  /** A deleted name that can still be had back. */
  restore: { until: string };
}

export type AttentionCause = keyof AttentionFacts;
export const attentionSeverities = ['now', 'soon'] as const;
export type AttentionSeverity = (typeof attentionSeverities)[number];

/** What is known of one item besides its facts. */
export interface AttentionContext {
  /** The name that it is about; the title goes on after it. */
  address: string | null;
  /** The customer's organization; empty: of no customer. */
  customer: string;
  deadline: Date | null;
  now: Date;
  /** A customer's own user reads it: what only the MSP may know is left out. */
  isCustomers?: boolean;
}

interface Words {
  title: string;
  detail: string;
  /** How much time there is, in a few words. */
  when: string;
}

export interface CauseRule<F> {
  /** Who may see it, within their reach. */
  permission: Permission;
  severity: (facts: F, context: Pick<AttentionContext, 'deadline' | 'now'>) => AttentionSeverity;
  words: (facts: F, context: AttentionContext) => Words;
  /** The one act that helps. */
  action: (facts: F, address: string | null) => { label: string; to: string };
}

const daysText = (days: number) => (days === 1 ? '1 day' : `${days} days`);
const untilText = (days: number) =>
  days < 0 ? `${daysText(-days)} ago` : days < 1 ? 'today' : `${daysText(days)} left`;
/** Whole days that have passed: what is of this hour is of today, also by a clock that runs late. */
const sinceText = (at: string, now: Date) => {
  const days = daysUntil(now, new Date(at));
  return days < 1 ? 'today' : `${daysText(days)} ago`;
};
const byText = (deadline: Date | null) => (deadline ? `by ${utcDayText(deadline)}` : '');
const joined = (...parts: string[]) => parts.filter((part) => part !== '').join(' · ');
const domainPage = (address: string | null) => `/domain/${address ?? ''}`;

const renewal: CauseRule<AttentionFacts['renewal']> = {
  permission: 'balance.read',
  severity: ({ expiresAt }, { now }) =>
    daysUntil(new Date(expiresAt), now) < lapsePressingDays ? 'now' : 'soon',
  words: (facts, { customer, now }) => {
    const days = daysUntil(new Date(facts.expiresAt), now);
    const why =
      facts.state === 'unable'
        ? (facts.reason ?? 'it could not be renewed')
        : facts.state === 'planned'
          ? 'the balance does not cover it'
          : 'auto renew is off';
    const costs = facts.priceCents === null ? '' : `renewing costs ${moneyText(facts.priceCents)}`;
    return {
      title: days < 0 ? 'has expired' : days < 1 ? 'expires within a day' : `expires in ${daysText(days)}`,
      detail: joined(customer, why, costs),
      when: untilText(days),
    };
  },
  action: (_facts, address) => ({ label: 'Renew', to: domainPage(address) }),
};

const certificate: CauseRule<AttentionFacts['certificate']> = {
  permission: 'domains.read',
  severity: ({ level }) => (level === 'danger' ? 'now' : 'soon'),
  words: ({ kind, text, validTo }, { customer, now }) => ({
    title: kind === 'expired' ? 'has an expired certificate' : 'has a certificate that needs you',
    detail: joined(customer, text),
    when: validTo && expiresSoon(new Date(validTo), now) ? untilText(daysUntil(new Date(validTo), now)) : '',
  }),
  action: ({ orderId }) => ({ label: 'Open', to: `/SSL/${orderId}` }),
};

const machineDaysLeft = (validTo: string | null, now: Date) =>
  validTo === null ? null : daysUntil(new Date(validTo), now);

const acme: CauseRule<AttentionFacts['acme']> = {
  permission: 'acme.manage',
  severity: ({ validTo }, { now }) => {
    const left = machineDaysLeft(validTo, now);
    return left !== null && left <= machineLateDays ? 'now' : 'soon';
  },
  words: ({ name, text, advice, others, at, validTo }, { address, customer, now, isCustomers }) => {
    const left = machineDaysLeft(validTo, now);
    const more = others === 0 ? '' : others === 1 ? 'and one other request' : `and ${others} other requests`;
    const said = isCustomers || advice === '' ? `The server received this reply: ${text}` : advice;
    return {
      title:
        address === null
          ? `A server could not register by the ACME access “${name}”`
          : left === null
            ? 'got no certificate by ACME'
            : left < 0
              ? 'was not renewed by ACME and has expired'
              : 'was not renewed by ACME',
      detail: joined(customer, said, more),
      when: left === null ? sinceText(at, now) : untilText(left),
    };
  },
  action: ({ accessId }) => ({ label: 'Open', to: `/certificates/acme/${accessId}` }),
};

const disputedText = 'Answer it if it is open. Nothing more is charged to this customer until you allow it';
const charge: CauseRule<AttentionFacts['charge']> = {
  permission: 'customers.billing',
  severity: () => 'now',
  words: ({ cents, error, retries, disputed }, { customer }) => ({
    title: disputed
      ? `${customer} disputed a payment of ${moneyText(cents)}`
      : `Payment of ${moneyText(cents)} by ${customer} failed`,
    detail: disputed ? disputedText : (error ?? 'The payment did not succeed.'),
    when: retries ? 'will be retried' : 'needs you',
  }),
  // A dispute comes months after its charge, which is far down in the list by then.
  action: ({ chargeId: id }) => ({ label: 'Review', to: `/direct-billing${id ? `?charge=${id}` : ''}` }),
};

const refund: CauseRule<AttentionFacts['refund']> = {
  permission: 'customers.billing',
  severity: () => 'now',
  words: ({ cents, error }, { customer }) => ({
    title: `Refund of ${moneyText(cents)} to ${customer} failed`,
    detail: error ?? 'The payment provider did not send it.',
    when: 'needs you',
  }),
  action: (facts) => charge.action({ ...facts, retries: false }, null),
};

const transfer: CauseRule<AttentionFacts['transfer']> = {
  permission: 'domains.read',
  severity: ({ state, late }) => (state === 'failed' || late ? 'now' : 'soon'),
  words: ({ state, late, reason, at }, { customer, deadline, now }) => {
    if (state === 'failed') {
      return {
        title: 'was not transferred',
        detail: joined(customer, reason ?? 'the other registrar did not release it'),
        when: sinceText(at, now),
      };
    }
    const waits =
      state === 'approval'
        ? 'the owner or the admin contact has to approve it'
        : 'the other registrar releases it within five days';
    return {
      title: late
        ? 'is being transferred to you, and it takes longer than expected'
        : 'is being transferred to you',
      detail: joined(customer, waits),
      when: late ? sinceText(at, now) : byText(deadline),
    };
  },
  action: (_facts, address) => ({ label: 'Follow', to: `/domain/transfer/${address ?? ''}` }),
};

const registrant: CauseRule<AttentionFacts['registrant']> = {
  permission: 'domains.read',
  severity: ({ suspended }, { deadline, now }) =>
    suspended || isVerificationUrgent(deadline, now) ? 'now' : 'soon',
  words: ({ suspended, bounced }, { customer, deadline, now }) => {
    const days = verificationDaysLeft(deadline, now);
    const outcome = suspended
      ? 'its website and mail are down until the owner confirms'
      : 'otherwise the registry suspends it';
    return {
      title: suspended ? 'is suspended' : 'is waiting for its owner to confirm an email address',
      detail: joined(customer, bounced ? 'the email could not be delivered' : '', outcome),
      when:
        suspended && deadline
          ? sinceText(deadline.toISOString(), now)
          : days === null
            ? ''
            : `${daysText(days)} left`,
    };
  },
  action: (_facts, address) => ({ label: 'Open', to: domainPage(address) }),
};

const importing: CauseRule<AttentionFacts['import']> = {
  permission: 'customers.create',
  severity: () => 'soon',
  words: ({ good, faulty, at }, { now }) => ({
    title: 'A checked file of customers is not imported yet',
    detail: joined(
      `${good} of its rows can be imported`,
      faulty > 0 ? `${faulty} ${faulty === 1 ? 'has' : 'have'} faults` : '',
    ),
    when: sinceText(at, now),
  }),
  action: ({ importId }) => ({ label: 'Open', to: `/customers/import/${importId}` }),
};

const zoneWrite: CauseRule<AttentionFacts['zone-write']> = {
  permission: 'domains.read',
  severity: () => 'now',
  words: ({ at }, { customer, now }) => ({
    title: 'has a DNS change with an unknown outcome',
    detail: joined(customer, 'the registrar has not shown whether it was made; the portal keeps asking'),
    when: sinceText(at, now),
  }),
  action: (_facts, address) => ({ label: 'Open', to: `${domainPage(address)}/dns` }),
};

const payment: CauseRule<AttentionFacts['payment']> = {
  permission: 'balance.topup',
  severity: () => 'now',
  words: ({ cents, waits, at }, { now }) => ({
    title:
      waits === 'person'
        ? `The top-up of ${moneyText(cents)} needs your confirmation`
        : `The automatic top-up of ${moneyText(cents)} was declined`,
    detail:
      waits === 'person'
        ? 'The bank needs your confirmation before it pays'
        : 'Until a payment succeeds, the balance is not topped up',
    when: sinceText(at, now),
  }),
  action: () => ({ label: 'Open', to: '/account' }),
};

const order: CauseRule<AttentionFacts['order']> = {
  permission: 'orders.read',
  severity: () => 'soon',
  words: ({ at }, { customer, now }) => ({
    title: 'has an order under review',
    detail: joined(customer, 'the people who run this portal are looking into it; the funds stay reserved'),
    when: sinceText(at, now),
  }),
  action: ({ orderId }) => ({ label: 'Open', to: `/orders/${orderId}` }),
};

const health: CauseRule<AttentionFacts['health']> = {
  permission: 'domains.read',
  severity: () => 'soon',
  words: ({ kinds, since }, { customer, now }) => {
    const titles = kinds.split(' ').flatMap((kind) => (isHealthKind(kind) ? ruleOfFinding(kind).title : []));
    return {
      title:
        titles.length === 1
          ? 'has a problem that others can see'
          : `has ${titles.length} problems that others can see`,
      detail: joined(customer, titles.join('; ')),
      when: sinceText(since, now),
    };
  },
  action: (_facts, address) => ({ label: 'Open', to: `${domainPage(address)}?tab=health` }),
};

const move: CauseRule<AttentionFacts['move']> = {
  permission: 'orders.purchase',
  severity: () => 'soon',
  words: ({ names, at }, { customer, now }) => ({
    title: 'A checked list of transfers is not ordered yet',
    detail: joined(customer, `${names} ${names === 1 ? 'name is' : 'names are'} ready`),
    when: sinceText(at, now),
  }),
  action: ({ moveId }) => ({ label: 'Open', to: `/domain/moves/${moveId}` }),
};

const moveDns: CauseRule<AttentionFacts['move-dns']> = {
  permission: 'orders.purchase',
  severity: () => 'now',
  words: ({ held, differs, at }, { customer, now }) => ({
    title: held
      ? 'has arrived, but its DNS could not be set up'
      : 'has different DNS answers after its transfer',
    detail: joined(customer, held ?? `${differs} ${differs === 1 ? 'answer differs' : 'answers differ'}`),
    when: sinceText(at, now),
  }),
  action: ({ moveId }) => ({ label: 'Open', to: `/domain/moves/${moveId}` }),
};

const restore: CauseRule<AttentionFacts['restore']> = {
  permission: 'orders.read',
  severity: () => 'now',
  words: ({ until }, { customer, now }) => ({
    title: 'was deleted by the registry',
    detail: joined(customer, `it can be restored until ${utcDayText(new Date(until))}`),
    when: untilText(daysUntil(new Date(until), now)),
  }),
  action: (_facts, address) => ({ label: 'Open', to: domainPage(address) }),
};

const change: CauseRule<AttentionFacts['change']> = {
  permission: 'changes.manage',
  severity: ({ state }) => (state === 'ready' ? 'soon' : 'now'),
  words: ({ title, state, left, note, at }, { now }) => {
    const one = left === 1;
    const domains = one ? '1 domain' : `${left} domains`;
    const { how, what } = {
      ready: { how: 'is not applied yet', what: 'would be changed' },
      paused: { how: 'is paused', what: one ? 'is not changed yet' : 'are not changed yet' },
      partly: { how: 'is done in part', what: one ? 'was not changed' : 'were not changed' },
    }[state];
    return {
      title: `The change “${title}” ${how}`,
      detail: joined(`${domains} ${what}`, note),
      when: sinceText(at, now),
    };
  },
  action: ({ changeId }) => ({ label: 'Open', to: `/changes/${changeId}` }),
};

/** Every cause. One without words, permission or source does not compile. */
export const attentionRules: { readonly [C in AttentionCause]: CauseRule<AttentionFacts[C]> } = {
  ...{ renewal, restore, certificate, acme, transfer, registrant, charge, refund, payment, order },
  ...{ import: importing, 'zone-write': zoneWrite, health, change, move, 'move-dns': moveDns },
};

export const attentionCauses = Object.keys(attentionRules) as [AttentionCause, ...AttentionCause[]];

/** A cause as it is stored may be one of a later version. */
export function isAttentionCause(text: string): text is AttentionCause {
  return Object.hasOwn(attentionRules, text);
}

/** The rule of a cause that is known at run time only, for the facts that were stored with it. */
export function ruleOf(cause: AttentionCause): CauseRule<never> {
  return attentionRules[cause] as CauseRule<never>;
}
