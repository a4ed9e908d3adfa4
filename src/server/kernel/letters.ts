import { z } from 'zod';
import type { Tx } from './db/database.ts';
import { newId } from './ids.ts';
import { enqueueJob } from './jobs.ts';
import type { Seal } from './seal.ts';

/**
 * What a mail says, without its look: paragraphs and lists, and at most one thing to press. The adapter makes the text
 * part and the HTML part from it, so that both always say the same.
 */
export const letter = z.object({
  subject: z.string(),
  parts: z.array(z.union([z.string(), z.object({ rows: z.array(z.array(z.string())) })])),
  button: z.object({ text: z.string(), address: z.url() }).exactOptional(),
  /** Below the button, in small type. */
  note: z.string().exactOptional(),
});
export type Letter = z.output<typeof letter>;

/** Who a mail is from, as its reader sees it. */
export interface Sender {
  /** The organization that the mail is about, or in whose name it is written. */
  organisationId: string;
  /** Whether the organization itself writes, to a customer of its own; the portal is not named then. */
  inItsName: boolean;
}

export interface Post {
  to: string;
  /** Absent: the portal writes to its operator. */
  sender?: Sender;
  letter: Letter;
  /** Same id, same message: a repeat is told apart by the receiver's server. */
  messageId: string;
}

const common = { to: z.string(), messageId: z.string() };
const sender = z.object({ organisationId: z.uuid(), inItsName: z.boolean() });
/** What is stored with the job behind each mail. Versions before letters wrote `text` and `fromName`; what waits is still sent. */
export const post = z.union([
  z.object({ ...common, sender, letter }),
  z.object({ ...common, sender, sealedText: z.string() }),
  z.object({ ...common, subject: z.string(), text: z.string() }),
  z.object({ ...common, subject: z.string(), sealedText: z.string() }),
]);

/** A mail to one person, sent if the caller's transaction commits. */
export function postLetter(tx: Tx, { to, sender, letter, messageId }: Required<Post>): Promise<void> {
  return enqueueJob(tx, 'mail.send', { to, sender, letter, messageId });
}

/** The same for a letter with a secret in it, such as a link that lets people in: no job table holds it readable. */
export function postSealed(
  tx: Tx,
  seal: Pick<Seal, 'seal'>,
  { to, sender, letter, messageId }: Required<Post>,
): Promise<void> {
  const sealedText = seal.seal(JSON.stringify(letter), messageId).toString('base64');
  return enqueueJob(tx, 'mail.send', { to, sender, sealedText, messageId });
}

/** A mail to each of those who manage the organization, once each. `notice` names it in the logs of mail servers. */
export function tellManagers(
  tx: Tx,
  { organisationId, notice, letter }: { organisationId: string; notice: string; letter: Letter },
): Promise<void> {
  return enqueueJob(tx, 'billing.notify', { organisationId, notice: `${notice}.${newId()}`, letter });
}

/** A waiting mail as it is sent. */
export function postOf(found: z.output<typeof post>, seal: Pick<Seal, 'open'>): Post {
  const { to, messageId } = found;
  const base = { to, messageId, ...('sender' in found ? { sender: found.sender } : {}) };
  if ('letter' in found) return { ...base, letter: found.letter };
  const text =
    'text' in found ? found.text : seal.open(Buffer.from(found.sealedText, 'base64'), found.messageId);
  if ('sender' in found) return { ...base, letter: letter.parse(JSON.parse(text)) };
  return { ...base, letter: { subject: found.subject, parts: text.split(/\n{2,}/) } };
}
