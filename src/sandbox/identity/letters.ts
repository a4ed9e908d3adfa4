import type { MailPart } from '../mail/index.ts';
import type { Accounts, User } from './accounts.ts';
import type { Realm } from './options.ts';

const FROM = 'no-reply@sign-in.sandbox.example';

/** The provider's own mails. They go out after the reply, so that its time tells nothing about an account. */
export interface Letters {
  verification(user: User): void;
  reset(user: User): void;
  passwordChanged(user: User): void;
  /** Resolves when all have been handed over. */
  idle(): Promise<void>;
}

export function createLetters(realm: Realm, accounts: Accounts, mail: Pick<MailPart, 'send'>): Letters {
  const pending = new Set<Promise<void>>();

  function post(user: User, subject: string, text: string): void {
    const sent = mail
      .send({ to: user.email, from: FROM, subject, text })
      .catch((error: unknown) => console.error('identity provider could not send a mail', error))
      .finally(() => pending.delete(sent));
    pending.add(sent);
  }

  return {
    verification(user) {
      const token = accounts.issueLink(user.id, 'verify');
      post(
        user,
        'Confirm your email address',
        `Welcome.\n\nOpen this link to confirm that ${user.email} is yours:\n\n${realm.baseUrl}/verify-email?token=${token}\n\nIt works for a day.\n`,
      );
    },
    reset(user) {
      const token = accounts.issueLink(user.id, 'reset');
      post(
        user,
        'Choose a new password',
        `Somebody, hopefully you, asked for a new password for ${user.email}.\n\nOpen this link to choose one:\n\n${realm.baseUrl}/reset-password?token=${token}\n\nIt works once, within an hour. If it was not you, there is nothing to do.\n`,
      );
    },
    passwordChanged(user) {
      post(
        user,
        'Your password was changed',
        `The password for ${user.email} was changed, and every session was ended.\n\nIf it was not you, ask for a new one at once.\n`,
      );
    },
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
