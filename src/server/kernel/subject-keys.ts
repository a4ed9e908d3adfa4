import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { sql, type Tx } from './db/database.ts';

/** A value that can be read for as long as its person's key exists. */
interface SealedValue {
  sealedFor: string;
  value: string;
}

/** What stands in place of a value whose key was destroyed. */
const erasedValue = { erased: true } as const;

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The key of each subject; one that has none gets one. */
export async function keysFor(
  tx: Tx,
  organisationId: string,
  subjects: readonly string[],
): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(subjects)];
  const known = await findKeys(tx, organisationId, wanted);
  const made = wanted
    .filter((subject) => !known.has(subject))
    .map((subject) => ({ subject, key: randomBytes(keyBytes) }));
  if (made.length === 0) return known;
  const subjectIds = made.map(({ subject }) => subject);
  const hexKeys = made.map(({ key }) => key.toString('hex'));
  const { rows } = await sql`INSERT INTO subject_keys (organisation_id, subject_id, key)
    SELECT ${organisationId}, subject_id, decode(key, 'hex') FROM unnest(${subjectIds}::uuid[], ${hexKeys}::text[])
      AS made (subject_id, key)
    ON CONFLICT DO NOTHING RETURNING 1`.execute(tx);
  // Somebody else made one of them meanwhile.
  if (rows.length < made.length) return findKeys(tx, organisationId, wanted);
  for (const { subject, key } of made) known.set(subject, key);
  return known;
}

/** Forgets what was sealed for these subjects, in the log and in every copy that is made from now on. */
export async function destroyKeys(
  tx: Tx,
  organisationId: string,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length === 0) return;
  await tx
    .deleteFrom('subject_keys')
    .where('organisation_id', '=', organisationId)
    .where('subject_id', 'in', subjects)
    .execute();
}

/** Seals a value, as JSON: AES-256-GCM, bound to organisation and subject. */
export function sealFor(key: Buffer, organisationId: string, subject: string, json: string): SealedValue {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context(organisationId, subject));
  const text = Buffer.concat([cipher.update(json, 'utf8'), cipher.final()]);
  return { sealedFor: subject, value: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64') };
}

/** Opens what of these values is sealed; in place of what nobody can open any more stands `erasedValue`. */
export async function openValues(
  tx: Tx,
  organisationId: string,
  values: readonly unknown[],
): Promise<unknown[]> {
  const subjects = new Set(values.filter(isSealed).map(({ sealedFor }) => sealedFor));
  if (subjects.size === 0) return [...values];
  const keys = await findKeys(tx, organisationId, [...subjects]);
  return values.map((value) => {
    if (!isSealed(value)) return value;
    const key = keys.get(value.sealedFor);
    return key ? opened(key, organisationId, value) : erasedValue;
  });
}

function opened(key: Buffer, organisationId: string, sealed: SealedValue): unknown {
  const bytes = Buffer.from(sealed.value, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
      .setAAD(context(organisationId, sealed.sealedFor))
      .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return JSON.parse(text.toString('utf8'));
  } catch {
    // Sealed under a key that was destroyed since, or changed: the verifier tells these apart, a reader cannot.
    return erasedValue;
  }
}

async function findKeys(tx: Tx, organisationId: string, subjects: readonly string[]) {
  const rows = await tx
    .selectFrom('subject_keys')
    .select(['subject_id', 'key'])
    .where('organisation_id', '=', organisationId)
    .where('subject_id', '=', sql<string>`any(${subjects}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.subject_id, row.key]));
}

function isSealed(value: unknown): value is SealedValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    'sealedFor' in value &&
    'value' in value &&
    typeof value.sealedFor === 'string' &&
    typeof value.value === 'string'
  );
}

const context = (organisationId: string, subject: string) =>
  Buffer.from(`subject:${organisationId}:${subject}`);
