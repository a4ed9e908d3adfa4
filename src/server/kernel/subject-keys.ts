import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { sealOf } from './db/bound-seal.ts';
import { type Db, sql, type Tx } from './db/database.ts';
import { type Slices, slices } from './give-way.ts';
import { freshBytes } from './random-bytes.ts';
import { type Seal, SealBroken } from './seal.ts';
import { type SealedPlace, sealedColumn, tookOne } from './sealed-places.ts';

/** As a sealed value is kept: it can be read for as long as its person's key exists. */
interface KeptValue {
  sealedFor: string;
  /** Base64. */
  value: string;
}

/** A value that was sealed just now. */
export class SealedValue {
  readonly sealedFor: string;
  readonly bytes: Buffer;

  constructor(sealedFor: string, bytes: Buffer) {
    this.sealedFor = sealedFor;
    this.bytes = bytes;
  }

  toJSON(): KeptValue {
    return { sealedFor: this.sealedFor, value: this.bytes.toString('base64') };
  }
}

/** What stands in place of a value whose key was destroyed. */
const erasedValue = { erased: true } as const;
/** The key is there and does not open: the portal's key that sealed it is not configured. Nothing was erased. */
const unreadableValue = { unreadable: true } as const;

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The key of each subject; one that has none gets one. As objects: each use of plain bytes takes several times as long. */
export async function keysFor(
  tx: Tx,
  organisationId: string,
  subjects: readonly string[],
): Promise<Map<string, KeyObject>> {
  const seal = sealOf(tx);
  const wanted = [...new Set(subjects)];
  if (wanted.length === 0) return new Map();
  if (wanted.length <= madeAtOnce) return keysOrNew(tx, seal, organisationId, wanted);
  const known = await openKeys(tx, seal, organisationId, wanted);
  const missing = wanted.filter((subject) => !known.has(subject));
  if (missing.length === 0) return known;
  const made = await makeKeys(tx, organisationId, missing);
  // Somebody else made one of them meanwhile.
  if (!(await giveKeys(tx, made))) return openKeys(tx, seal, organisationId, wanted);
  return new Map([...known, ...made.keys]);
}

/** Keys that nobody has yet: `giveKeys` writes them down. */
export interface MadeKeys {
  readonly organisationId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** All of one length, one behind the other. */
  readonly sealed: Buffer;
}

/** Makes keys and asks nothing of the database. For different subjects, which most likely have none. */
export async function makeKeys(
  tx: Tx,
  organisationId: string,
  subjects: readonly string[],
  giveWay: Slices = slices(),
): Promise<MadeKeys> {
  const seal = sealOf(tx);
  const keys = new Map<string, KeyObject>();
  const sealed: Buffer[] = [];
  for (const subject of subjects) {
    const key = freshBytes(keyBytes);
    keys.set(subject, createSecretKey(key));
    sealed.push(sealedKey(seal, organisationId, subject, key));
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
  return { organisationId, keys, sealed: Buffer.concat(sealed) };
}

/** Writes them down where there are none. False: one of the subjects had a key, by which its values must be sealed instead. */
export async function giveKeys(tx: Tx, { organisationId, keys, sealed }: MadeKeys): Promise<boolean> {
  if (keys.size === 0) return true;
  const { numAffectedRows } = await sql`INSERT INTO subject_keys (organisation_id, subject_id, key)
    SELECT ${organisationId}, subject_id, substring(sealed FROM length * (place::int - 1) + 1 FOR length)
    FROM (SELECT ${sealed}::bytea AS sealed, ${sealed.length / keys.size}::int AS length) AS made,
      unnest(${[...keys.keys()]}::uuid[]) WITH ORDINALITY AS of (subject_id, place)
    ON CONFLICT DO NOTHING`.execute(tx);
  return numAffectedRows === BigInt(keys.size);
}

/** Subjects for which a key is made before it is known whether they need one. */
const madeAtOnce = 5;

/** One statement, for few of them. */
async function keysOrNew(tx: Tx, seal: Seal, organisationId: string, subjects: readonly string[]) {
  const made = subjects.map((subject) => {
    const key = freshBytes(keyBytes);
    return { key, sealed: sealedKey(seal, organisationId, subject, key) };
  });
  // Each by itself: of an array the planner does not know the length, and plans again every time.
  const ids = sql.join(subjects.map((subject) => sql`${subject}::uuid`));
  const fresh = sql.join(
    made.map(({ sealed }, at) => sql`(${subjects[at]}::uuid, decode(${sealed.toString('hex')}, 'hex'))`),
  );
  const { rows } = await sql<{ subject: string; key: Buffer }>`
    WITH known AS (
      SELECT subject_id, key FROM subject_keys
      WHERE organisation_id = ${organisationId} AND subject_id IN (${ids})
    ), made AS (
      INSERT INTO subject_keys (organisation_id, subject_id, key)
      SELECT ${organisationId}, subject_id, key FROM (VALUES ${fresh}) AS new (subject_id, key)
      WHERE subject_id NOT IN (SELECT subject_id FROM known)
      ON CONFLICT DO NOTHING RETURNING subject_id, key
    )
    SELECT subject_id AS subject, key FROM known UNION ALL SELECT subject_id, key FROM made`.execute(tx);
  // Somebody else made one of them meanwhile.
  if (rows.length < subjects.length) return openKeys(tx, seal, organisationId, subjects);
  // What was sealed a moment ago need not be opened.
  const keyOf = (subject: string, stored: Buffer) => {
    const known = made.find(({ sealed }) => sealed.equals(stored));
    return known ? createSecretKey(known.key) : openedKey(seal, organisationId, subject, stored);
  };
  return new Map(rows.map(({ subject, key }) => [subject, keyOf(subject, key)]));
}

/** The key that a subject has. */
export async function knownKey(tx: Tx, organisationId: string, subject: string): Promise<KeyObject | null> {
  const row = await tx
    .selectFrom('subject_keys')
    .select('key')
    .where('organisation_id', '=', organisationId)
    .where('subject_id', '=', subject)
    .executeTakeFirst();
  return row ? openedKey(sealOf(tx), organisationId, subject, row.key) : null;
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
export function sealFor(key: KeyObject, organisationId: string, subject: string, json: string): SealedValue {
  const nonce = freshBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context(organisationId, subject));
  const text = [cipher.update(json, 'utf8'), cipher.final()];
  return new SealedValue(subject, Buffer.concat([nonce, cipher.getAuthTag(), ...text]));
}

/** Opens what of these values is sealed; in place of what nobody can open any more stands `erasedValue`. */
export async function openValues(
  tx: Tx,
  organisationId: string,
  values: readonly unknown[],
  giveWay: Slices = slices(),
): Promise<unknown[]> {
  const subjects = new Set(values.filter(isSealed).map(({ sealedFor }) => sealedFor));
  if (subjects.size === 0) return [...values];
  const seal = sealOf(tx);
  const stored = await findKeys(tx, organisationId, [...subjects]);
  const keys = new Map(
    [...stored].map(([subject, key]) => [subject, readableKey(seal, organisationId, subject, key)]),
  );
  const shown = (value: unknown) => {
    if (!isSealed(value)) return value;
    const key = keys.get(value.sealedFor);
    if (key === null) return unreadableValue;
    return key ? opened(key, organisationId, value) : erasedValue;
  };
  const all: unknown[] = [];
  for (const value of values) {
    all.push(shown(value));
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
  return all;
}

function opened(key: KeyObject, organisationId: string, sealed: KeptValue): unknown {
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

/** As `openedKey`; null when it does not open. */
function readableKey(seal: Seal, organisationId: string, subject: string, stored: Buffer): KeyObject | null {
  try {
    return openedKey(seal, organisationId, subject, stored);
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

/** Versions before decision 194 stored keys as they are; the job below seals them. */
function openedKey(seal: Seal, organisationId: string, subject: string, stored: Buffer): KeyObject {
  if (stored.length === keyBytes) return createSecretKey(stored);
  return createSecretKey(seal.open(stored, keyContext(organisationId, subject)), 'base64');
}

function sealedKey(seal: Seal, organisationId: string, subject: string, key: Buffer): Buffer {
  return seal.seal(key.toString('base64'), keyContext(organisationId, subject));
}

/** Throws `SealBroken` for a key that does not open: what is written must not get a second key. */
async function openKeys(tx: Tx, seal: Seal, organisationId: string, subjects: readonly string[]) {
  const stored = await findKeys(tx, organisationId, subjects);
  return new Map(
    [...stored].map(([subject, key]) => [subject, openedKey(seal, organisationId, subject, key)]),
  );
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

function isSealed(value: unknown): value is KeptValue {
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
const keyContext = (organisationId: string, subject: string) => `subject-key:${organisationId}:${subject}`;

/** Keys of persons, for the change of the portal's key. Those that are not sealed yet are not counted. */
export function sealedSubjectKeys(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'subject_keys.key',
    table: sql`subject_keys`,
    column: sql`CASE WHEN length(key) > ${keyBytes} THEN key END`,
    id: sql`subject_id::text`,
    contexts: ({ organisationId, id }) => [keyContext(organisationId, id)],
    replace: (row, former, key) => replaceKey(systemDb, row, former, key),
  });
}

async function replaceKey(
  systemDb: Db,
  { organisationId, id }: { organisationId: string; id: string },
  former: Buffer,
  key: Buffer,
): Promise<boolean> {
  return tookOne(
    await systemDb
      .updateTable('subject_keys')
      .set({ key })
      .where('organisation_id', '=', organisationId)
      .where('subject_id', '=', id)
      .where('key', '=', former)
      .executeTakeFirstOrThrow(),
  );
}

const sealedAtOnce = 500;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Seals the keys that an earlier version stored as they are. It may be stopped, repeated and run beside itself. */
export async function sealPlainKeys(systemDb: Db): Promise<number> {
  const seal = sealOf(systemDb);
  let sealed = 0;
  for (let after = [firstId, firstId]; ; ) {
    const plain = await systemDb
      .selectFrom('subject_keys')
      .select(['organisation_id', 'subject_id', 'key'])
      .where(sql<boolean>`length(key) = ${keyBytes}`)
      .where(sql<boolean>`(organisation_id, subject_id) > (${after[0]}::uuid, ${after[1]}::uuid)`)
      .orderBy('organisation_id')
      .orderBy('subject_id')
      .limit(sealedAtOnce)
      .execute();
    for (const { organisation_id: organisationId, subject_id: id, key } of plain) {
      const row = { organisationId, id };
      if (await replaceKey(systemDb, row, key, sealedKey(seal, organisationId, id, key))) sealed += 1;
      after = [organisationId, id];
    }
    if (plain.length < sealedAtOnce) return sealed;
  }
}
