import { errorWithoutToken } from './api-error.ts';
import { connection } from './connection.ts';
import type { Oidc, SignedInPerson, SilentFailure } from './oidc.ts';
import { askSilently, type SilentAnswer } from './provider.ts';

/** A token is renewed this long before it ends. */
const renewBeforeMs = 60_000;

/** Why there is no token although nobody has ended the session. */
type Lapse = Exclude<SilentFailure, 'signedOut'>;

/** The tokens of this tab, in memory only. Only one renewal runs at a time. */
export class Tokens {
  person: SignedInPerson | null = null;
  /** The token has ended, and the provider did not give another one; null: it has not. */
  lapse: Lapse | null = null;
  /** The provider has ended the session here by naming somebody else: what the browser remembers may be theirs. */
  isOthers = false;
  readonly #oidc: () => Promise<Pick<Oidc, 'renew'>>;
  readonly #changed: (person: SignedInPerson | null, lapse: Lapse | null) => void;
  readonly #now: () => number;
  /** What was asked before there was anybody to hear it: the first answer. */
  #ahead: SilentAnswer | null;
  #renewing: SilentAnswer | null = null;
  /** Nobody asks for a token before it is known whether somebody is signed in. */
  readonly #begun: Promise<void>;
  begin: () => void = () => undefined;

  constructor(
    oidc: () => Promise<Pick<Oidc, 'renew'>>,
    changed: (person: SignedInPerson | null, lapse: Lapse | null) => void,
    { ahead = null, now = () => Date.now() }: { ahead?: SilentAnswer | null; now?: () => number } = {},
  ) {
    this.#oidc = oidc;
    this.#changed = changed;
    this.#ahead = ahead;
    this.#now = now;
    this.#begun = new Promise((resolve) => {
      this.begin = resolve;
    });
  }

  set(person: SignedInPerson | null): void {
    this.#set(person, null);
    this.begin();
  }

  #set(person: SignedInPerson | null, lapse: Lapse | null): void {
    this.person = person;
    this.lapse = lapse;
    this.#changed(person, lapse);
  }

  /** A token that is good for a while, or null when nobody is signed in. Throws where the provider is needed and silent. */
  async token(): Promise<string | null> {
    await this.#begun;
    const { person } = this;
    if (!person) return null;
    if (person.expiresAtMs - this.#now() > renewBeforeMs) return person.accessToken;
    return this.renew();
  }

  /** A token in place of one that was refused or ends. */
  async renew(refused?: string): Promise<string | null> {
    // Renewed already, on behalf of another call that was refused at the same time.
    if (refused && this.person && this.person.accessToken !== refused) return this.person.accessToken;
    const answer = await this.ask();
    if (typeof answer !== 'string') return answer.accessToken;
    const { person } = this;
    if (answer === 'signedOut' || !person) {
      this.set(null);
      return null;
    }
    // Without an answer the old token may still be good.
    if (person.expiresAtMs > this.#now()) return person.accessToken;
    // Only the provider's word ends the session: the screen stays, with what was typed there.
    this.#set(person, answer);
    throw errorWithoutToken(connection.isOffline());
  }

  /** Asks the provider. Concurrent callers in this tab get the same answer. */
  ask(): SilentAnswer {
    this.#renewing ??= this.#askOnce().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #askOnce(): SilentAnswer {
    const ahead = this.#ahead;
    this.#ahead = null;
    const answer = await (ahead ?? this.#oidc().then(askSilently));
    if (typeof answer === 'string') return answer;
    // What is drawn, typed and under way here is for one person: it is not done or shown in the name of another.
    this.isOthers = this.person !== null && this.person.subject !== answer.subject;
    if (this.isOthers) return 'signedOut';
    this.set(answer);
    return answer;
  }
}
