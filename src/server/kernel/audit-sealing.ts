import type { KeyObject } from 'node:crypto';
import type { AuditActor, AuditEntry } from './audit.ts';
import type { Tx } from './db/database.ts';
import { type Slices, slices } from './give-way.ts';
import { giveKeys, keysFor, knownKey, type MadeKeys, makeKeys, sealFor } from './subject-keys.ts';

const removed = '[removed]';
/**
 * Keys whose values never reach the log, whatever the caller hands over (design: secrets redacted). It finds such a key in JSON too, where
 * a quotation mark ends it; at times it finds a value there that only looks like one.
 */
const secretKey =
  /pass(word|phrase)|secret|token|authorization|cookie|credential|auth_?(code|info)|epp|private_?key|signed_?url|csr|link("|$)/i;

/** A value of an entry that is JSON already: what the database wrote need not be read and written again to be sealed. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An entry whose values are as the log keeps them. */
export type SealedEntry = AuditEntry & { readonly sealed: true };

/**
 * First half of `auditAll`, for so many entries that the sealing takes its time. It needs nobody's turn.
 *
 * @param how `made`: keys that were made ahead for some of those whom the entries are about; the database writes them down
 *   while this process seals
 */
export async function sealAll(
  tx: Tx,
  actor: Pick<AuditActor, 'organisationId'>,
  entries: readonly AuditEntry[],
  { made, giveWay = slices() }: { made?: MadeKeys; giveWay?: Slices } = {},
): Promise<SealedEntry[]> {
  const given = made ? giveKeys(tx, made) : Promise.resolve(true);
  // Should it fail while this gives way, it is waited for below.
  given.catch(() => undefined);
  const others = entries.flatMap(sealedSubject).filter((subject) => !made?.keys.has(subject));
  const known = await keysFor(tx, actor.organisationId, others);
  const keys = made ? new Map([...known, ...made.keys]) : known;
  const sealedEntries: SealedEntry[] = [];
  for (const entry of entries) {
    sealedEntries.push(sealedWith(keys, actor.organisationId, entry));
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
  // Somebody had one: what was sealed by another could not be opened.
  return (await given) ? sealedEntries : sealAll(tx, actor, entries, { giveWay });
}

/** Makes the keys of those whom these entries are about, before it is time to seal: for what was made just now and has none. */
export function keysAhead(
  tx: Tx,
  { organisationId }: Pick<AuditActor, 'organisationId'>,
  entries: readonly AuditEntry[],
  giveWay: Slices = slices(),
): Promise<MadeKeys> {
  return makeKeys(tx, organisationId, [...new Set(entries.flatMap(sealedSubject))], giveWay);
}

/**
 * For an entry that is written down later: the question for its key travels with other statements. null: there is no key yet, and
 * `audit` makes one. Should the key be destroyed meanwhile, the entry cannot be read, as all that were sealed with it.
 */
export async function sealedBefore(
  tx: Tx,
  { organisationId }: Pick<AuditActor, 'organisationId'>,
  entry: AuditEntry,
): Promise<SealedEntry | null> {
  const [subject] = sealedSubject(entry);
  const key = subject === undefined ? null : await knownKey(tx, organisationId, subject);
  if (subject !== undefined && !key) return null;
  return sealedWith(new Map(key && subject ? [[subject, key]] : []), organisationId, entry);
}

function sealedWith(
  keys: ReadonlyMap<string, KeyObject>,
  organisationId: string,
  entry: AuditEntry,
): SealedEntry {
  const subject = sealedSubject(entry)[0] ?? '';
  const key = keys.get(subject);
  const keep = (value: unknown): unknown => {
    if (value === undefined || value === null) return null;
    const shown = redactedJson(value);
    return key ? sealFor(key, organisationId, subject, shown) : JSON.parse(shown);
  };
  return { ...entry, before: keep(entry.before), after: keep(entry.after), sealed: true };
}

/** Whose key seals the entry's values; nobody's when it has none, or is about no person. */
function sealedSubject(entry: AuditEntry): string[] {
  if ((entry.before ?? entry.after ?? null) === null) return [];
  const isPerson = entry.objectKind === 'user' || entry.objectKind === 'invite';
  const subject = entry.subject ?? (isPerson ? entry.object : entry.customerId);
  return subject ? [subject] : [];
}

/** As JSON, with secrets taken out: what is hashed is what can be read back. Few values need to be searched for them. */
function redactedJson(value: unknown): string {
  const text = value instanceof JsonText ? value.text : JSON.stringify(value);
  if (!secretKey.test(text)) return text;
  return JSON.stringify(JSON.parse(text), (key, inner: unknown) =>
    key !== '' && inner !== null && inner !== undefined && isSecret(key) ? removed : inner,
  );
}

/** Which names are of secrets: there are some hundreds of names, and an import asks half a million times. */
const asked = new Map<string, boolean>();
const mostAsked = 2_000;

function isSecret(key: string): boolean {
  const known = asked.get(key);
  if (known !== undefined) return known;
  const answer = secretKey.test(key);
  if (asked.size < mostAsked) asked.set(key, answer);
  return answer;
}
