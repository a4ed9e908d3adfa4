import type { SignedInPerson } from './oidc.ts';
import { sessionMarks } from './session-marks.ts';
import { openChannel, sayTo } from './tab-channel.ts';

/**
 * A tab that somebody opens beside another one of theirs hears from that one who is there, and by which token. So its data need not
 * wait for the identity provider, which is asked afterwards (docs/decisions/0309). The token goes from memory to memory, to this address
 * alone; each tab gets a refresh token of its own from the provider.
 */

const questions = 'nameward.who-is-there';
const answersTo = 'nameward.answer-to.';
/** What is nearly over is not handed on. */
const leastMs = 120_000;
/** A tab that sleeps may answer when it wakes: by then nobody needs it. */
const waitMs = 5_000;

const lasts = ({ expiresAtMs }: SignedInPerson) => expiresAtMs - Date.now() >= leastMs;

export interface Beside {
  /** Who another tab has named; null: none has yet. */
  person: SignedInPerson | null;
  /** Is kept when one names them; where none does it stays open. */
  readonly named: Promise<SignedInPerson>;
}

/** Asks the other tabs for the person who was here the last time. Null: there is nobody to ask for, or no way to ask. */
export function askOtherTabs(): Beside | null {
  const email = sessionMarks.profileEmail();
  const answers = email === null ? null : openChannel(`${answersTo}${Math.random()}`);
  if (!answers) return null;
  const owner = sessionMarks.tabOf();
  const { promise: named, resolve } = Promise.withResolvers<SignedInPerson>();
  const beside: Beside = { person: null, named };
  answers.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (beside.person || !isPerson(data) || data.email !== email || !lasts(data)) return;
    // What somebody else keeps in this tab would be forgotten for the one whom an old tab names.
    if (owner !== null && data.subject !== owner) return;
    beside.person = data;
    resolve(data);
  };
  setTimeout(() => answers.close(), waitMs);
  sayTo(questions, answers.name);
  return beside;
}

/** Answers the questions of other tabs for as long as somebody is here. Gives back what ends it. */
export function answerOtherTabs(here: () => SignedInPerson | null): () => void {
  const channel = openChannel(questions);
  if (!channel) return () => undefined;
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const person = here();
    if (!person || !lasts(person) || typeof data !== 'string' || !data.startsWith(answersTo)) return;
    sayTo(data, person);
  };
  return () => channel.close();
}

/** Another version of this program may say it in another way. */
function isPerson(data: unknown): data is SignedInPerson {
  if (typeof data !== 'object' || data === null) return false;
  const { subject, email, name, accessToken, expiresAtMs } = data as Partial<SignedInPerson>;
  const texts = [subject, email, name, accessToken];
  return texts.every((text) => typeof text === 'string') && typeof expiresAtMs === 'number';
}
