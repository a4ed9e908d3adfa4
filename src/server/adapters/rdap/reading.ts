import { z } from 'zod';
import { isHostName } from '#contracts/values/domain-name.ts';
import { asOneLine } from '#contracts/values/one-line.ts';
import type { Registration } from '../../ports/rdap.ts';

/** Answers of RDAP servers (RFC 9083) and the list of these servers (RFC 9224), as far as they are used. */

const bootstrap = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** The servers of each suffix. */
export function readServices(body: unknown): Map<string, string[]> {
  const { services } = bootstrap.parse(body);
  return new Map(
    services.flatMap(([suffixes, urls]) => suffixes.map((suffix) => [suffix.toLowerCase(), urls] as const)),
  );
}

const domain = z.object({
  objectClassName: z.literal('domain'),
  ldhName: z.string(),
  status: z.array(z.string()).default([]),
  events: z.array(z.object({ eventAction: z.string(), eventDate: z.string() })).default([]),
  nameservers: z.array(z.object({ ldhName: z.string().optional() })).default([]),
  entities: z
    .array(z.object({ roles: z.array(z.string()).default([]), vcardArray: z.unknown().optional() }))
    .default([]),
});

export function readRegistration(body: unknown): Registration {
  const { ldhName, status, events, nameservers, entities } = domain.parse(body);
  const at = (action: string) => {
    const event = events.find(({ eventAction }) => eventAction === action);
    const time = new Date(event?.eventDate ?? '');
    const year = time.getUTCFullYear();
    return year >= firstYear && year <= lastYear ? time : null;
  };
  const registrar = entities.find(({ roles }) => roles.includes('registrar'));
  return {
    name: plain(ldhName),
    registrar: fullName(registrar?.vcardArray),
    registeredAt: at('registration'),
    expiresAt: at('expiration'),
    nameservers: nameservers.flatMap(({ ldhName: host = '' }) => hostOf(host)).sort(),
    statuses: status.map((code) => code.toLowerCase()),
  };
}

/** Registrations have no other dates. */
const [firstYear, lastYear] = [1980, 2200];

const hostOf = (text: string) => {
  const host = plain(text);
  return isHostName(host) ? [host] : [];
};

const plain = (name: string) => name.toLowerCase().replace(/\.$/, '');

/** `["vcard", [["fn", {}, "text", "Example Registrar"], …]]` (RFC 7095). */
const card = z.tuple([z.literal('vcard'), z.array(z.array(z.unknown()))]);
function fullName(value: unknown): string | null {
  const read = card.safeParse(value);
  const field = read.data?.[1].find(([name]) => name === 'fn');
  const text = field?.[3];
  if (typeof text !== 'string') return null;
  return asOneLine(text, 200).trim() || null;
}
