import { utcDayText } from '#contracts/values/format.ts';
import type { HealthKind } from '#contracts/values/health.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { SeenWebsite } from '../../ports/probe.ts';
import { type Facts, those, type Verdict } from './evidence.rules.ts';

/** Websites, as the servers show them. */

/** Websites of which this is true, each with what shows it. */
function sitesWith({ sites }: Facts, evidence: (shown: SeenWebsite, host: string) => string | null): Verdict {
  const found = sites.map(({ host, https }) => {
    if (https === undefined) return undefined;
    const text = https === 'refused' ? null : evidence(https, host);
    return text === null ? null : `${host}: ${text}`;
  });
  const texts = found.filter((text) => typeof text === 'string');
  return texts.length > 0 ? texts.join(', ') : found.includes(undefined) ? undefined : null;
}

const expiredCode = 'CERT_HAS_EXPIRED';

/** Certificates are renewed earlier than this: with so much of their time left, and so many days at most. */
const endingShare = 0.15;
const endingMostMs = 14 * dayMs;

function isEnding({ validFrom, validTo }: SeenWebsite['certificate'], now: Date): boolean {
  const wholeMs = validTo.getTime() - validFrom.getTime();
  return validTo.getTime() - now.getTime() < Math.min(endingMostMs, endingShare * wholeMs);
}

/** What Node calls the faults of certificates, as people say it. */
const troubleTexts: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for other names',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'nobody vouches for it',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its chain is not complete, or its authority is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not known',
};

const covers = (name: string, host: string) =>
  name === host || (name.startsWith('*.') && host.split('.').slice(1).join('.') === name.slice(2));

type WebKind = Exclude<Extract<HealthKind, `web-${string}`>, 'web-dangling' | 'web-none'>;

export const webRules: { readonly [K in WebKind]: (facts: Facts) => Verdict } = {
  'web-plain': ({ sites }) =>
    those(
      sites,
      ({ host }) => host,
      ({ https, http }) => {
        if (https !== undefined && https !== 'refused') return false;
        if (https === undefined || http === undefined) return undefined;
        return http !== 'refused';
      },
    ),
  'web-fails': (facts) => sitesWith(facts, ({ status }) => ((status ?? 0) >= 500 ? String(status) : null)),
  'web-cert-wrong': (facts) =>
    sitesWith(facts, ({ certificate: { trouble } }) =>
      trouble === expiredCode ? null : trouble && (troubleTexts[trouble] ?? trouble),
    ),
  'web-cert-expired': (facts) =>
    sitesWith(facts, ({ certificate: { trouble, validTo } }) =>
      trouble === expiredCode ? utcDayText(validTo) : null,
    ),
  'web-cert-expiring': (facts) =>
    sitesWith(facts, ({ certificate: shown }) =>
      shown.trouble === null && isEnding(shown, facts.now) ? utcDayText(shown.validTo) : null,
    ),
  'web-cert-other': (facts) =>
    sitesWith(facts, ({ certificate: { trouble, serial } }, host) => {
      const own = facts.certificates.filter((each) => each.serial !== null && covers(each.host, host));
      const isOurs = own.length === 0 || own.some((each) => each.serial === serial);
      return trouble !== null || isOurs ? null : `serial ${serial}`;
    }),
};
