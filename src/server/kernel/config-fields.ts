import { isIP } from 'node:net';
import { z } from 'zod';

/** Kinds of settings, as they stand in the environment: everything is text, and an empty text counts as absent. */

const wholeNumber = z.string().regex(/^\d{1,15}$/, 'must be a whole number');

export const count = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  wholeNumber
    .transform(Number)
    .refine((value) => value >= min && value <= max, { message: `must be from ${min} to ${max}` })
    .default(fallback);

export const optionalCount = wholeNumber.transform(Number).nullable().default(null);

export const port = (fallback: number) => count(fallback, 0, 65_535);

export const flag = (fallback: boolean) =>
  z
    .enum(['1', '0', 'true', 'false', 'yes', 'no', 'on', 'off'])
    .transform((value) => ['1', 'true', 'yes', 'on'].includes(value))
    .default(fallback);

/** Items set apart by commas or blanks. */
const items = (text: string) => text.split(/[\s,]+/).filter((item) => item !== '');

export const list = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform(items)
    .refine((value) => value.length > 0, { message: 'must not be empty' });

export const optionalList = z.string().default('').transform(items);

/** Origins as browsers send them. `null` is no origin: any sandboxed frame of any site has it. */
export const origins = optionalList.refine(
  (value) => value.every((item) => URL.canParse(item) && new URL(item).origin === item && item !== 'null'),
  { message: 'must be origins such as https://app.example, without a path' },
);

/** Whole days, some of them negative: `30,7,-3`. */
export const days = (fallback: string) =>
  list(fallback)
    .refine((value) => value.every((item) => /^-?\d{1,3}$/.test(item)), {
      message: 'must be a whole number of days',
    })
    .transform((value) => value.map(Number));

/** `com:8000 net:8000`; empty: none. */
export const centsBySuffix = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform(items)
    .refine((value) => value.every((item) => /^[a-z0-9.-]{2,60}:\d{1,7}$/.test(item)), {
      message: 'must be like com:8000, in cents',
    })
    .transform(
      (value) => new Map(value.map((item) => [item.split(':')[0] ?? '', Number(item.split(':')[1])])),
    );

export const listOf = <const T extends readonly [string, ...string[]]>(allowed: T, fallback: string) =>
  list(fallback).pipe(z.array(z.enum(allowed)));

const httpAddress = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
    message: 'must be an address with http:// or https://',
  });

/** An http(s) address. Without a slash at the end, save for issuers, which are compared letter by letter. */
export const address = (fallback: string) => httpAddress.transform(withoutSlash).default(fallback);
export const issuerAddress = (fallback: string) => httpAddress.default(fallback);
export const optionalAddress = httpAddress.nullable().default(null);

export function withoutSlash(value: string): string {
  let end = value.length;
  while (value[end - 1] === '/') end -= 1;
  return value.slice(0, end);
}

export const addressWith = (protocol: RegExp, what: string, fallback: string) =>
  z
    .string()
    .refine((value) => URL.canParse(value) && protocol.test(new URL(value).protocol), {
      message: `must be an address with ${what}`,
    })
    .default(fallback);

const databaseAddress = z
  .string()
  .refine((value) => URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol), {
    message: 'must be an address with postgres://',
  });
export const database = (fallback: string) => databaseAddress.default(fallback);
export const optionalDatabase = databaseAddress.nullable().default(null);

/** Addresses of servers with the same content: `postgres://user:password@one:5432,two:5432/name`; empty: none. */
export const databaseHosts = z
  .string()
  .default('')
  .transform((text, context) => {
    if (text === '') return [];
    const [, before = '', hosts = '', after = ''] =
      /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^@/?]+)([/?].*)?$/.exec(text) ?? [];
    const urls = hosts.split(',').map((host) => `${before}${host}${after}`);
    if (hosts !== '' && urls.every((url) => databaseAddress.safeParse(url).success)) return urls;
    context.addIssue({
      code: 'custom',
      message: 'must be an address with postgres://, and may name several hosts with commas between them',
    });
    return z.NEVER;
  });

/** `{"audience":"…"}`: texts by name. */
export const jsonTexts = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.string()))
  .default({});

/** `2:secret,1:secret`: numbered keys, the newest first (the first seals, all open). */
export const numberedKeys = (fallback: string) =>
  list(fallback).transform((entries, context) =>
    entries.map((entry) => {
      const match = /^(\d{1,3}):(.{16,})$/.exec(entry);
      if (!match || Number(match[1]) > 255) {
        context.addIssue({
          code: 'custom',
          message: 'must be number:secret, the number up to 255 and the secret of at least 16 characters',
        });
        return z.NEVER;
      }
      return { number: Number(match[1]), secret: match[2] ?? '' };
    }),
  );

/** `127.0.0.1`, `127.0.0.1:4306`, `[::1]:53`. */
const onlyDnsServers = [
  (value: readonly string[]) => value.every(isDnsServer),
  { message: 'must be IP addresses, each with an optional port' },
] as const;

export const dnsServers = (fallback: string) => list(fallback).refine(...onlyDnsServers);
export const optionalDnsServers = optionalList.refine(...onlyDnsServers);

function isDnsServer(value: string): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(value);
  return isIP(value) !== 0 || isIP(match?.[1] ?? match?.[2] ?? '') !== 0;
}
