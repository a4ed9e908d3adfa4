import { z } from 'zod';

/** What a backup says of itself. The sealing keys are named by their numbers; their secrets are not in it. */
export const manifest = z.object({
  at: z.iso.datetime(),
  migrations: z.array(z.string()),
  sealKeys: z.array(z.string()),
  /** By number: what tells the same key from another one under its number. Backups from before have none. */
  sealKeyMarks: z.record(z.string(), z.string()).default({}),
  counts: z.record(z.string(), z.number()),
  /** null: PostgreSQL's own dump, which any server of its version or a newer one takes. */
  cluster: z.object({ version: z.string(), platform: z.string() }).nullable().default(null),
});
export type Manifest = z.output<typeof manifest>;

/** What is found out while the database is taken. */
export type Taken = Pick<Manifest, 'at' | 'migrations' | 'counts' | 'cluster'>;
