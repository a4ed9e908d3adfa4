import { z } from 'zod';

/** What listens at an address of the world outside. */

const web = z.strictObject({
  /** Answers on port 80. */
  http: z.boolean().default(true),
  https: z
    .strictObject({
      /** In the certificate; none: the name that is asked for. */
      names: z.array(z.string()).optional(),
      /** From when to when it is valid, in days from now. */
      days: z.tuple([z.number(), z.number()]).default([-10, 80]),
      /** An authority that is known, or the host itself. */
      issuer: z.enum(['known', 'self']).default('known'),
      /** Hexadecimal; none: any. */
      serial: z.string().optional(),
    })
    .nullable()
    .prefault({}),
  status: z.int().default(200),
  /** Text by host and path: `mta-sts.example.com/.well-known/mta-sts.txt`. */
  files: z.record(z.string(), z.string()).default({}),
});
export type WebHost = z.output<typeof web>;

const mail = z.strictObject({ startTls: z.boolean().default(true) });
export type MailHost = z.output<typeof mail>;

const dns = z.strictObject({
  /** It answers for no zone. */
  lame: z.boolean().default(false),
  serial: z.int().default(1),
});
export type NameHost = z.output<typeof dns>;

const host = z.strictObject({
  address: z.string(),
  web: web.optional(),
  mail: mail.optional(),
  dns: dns.optional(),
});
export type Host = z.output<typeof host>;

export const hostsBody = z.strictObject({ hosts: z.array(host).max(10_000) });
