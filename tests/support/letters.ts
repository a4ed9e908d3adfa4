import { textOf } from '../../src/server/adapters/smtp/layout.ts';
import type { Letter } from '../../src/server/kernel/letters.ts';
import type { MailMessage } from '../../src/server/ports/mail.ts';

/** A mail as its reader gets it. */
export interface SentLetter extends MailMessage {
  subject: string;
  text: string;
}

/** Keeps what would be sent. */
export function mailbox() {
  const letters: SentLetter[] = [];
  return {
    letters,
    send: async (message: MailMessage) => {
      const text = textOf(message, 'Nameward');
      letters.push({ ...message, subject: message.letter.subject, text });
    },
  };
}

/** What a letter says, without its frame. */
export function wordsOf(letter: Letter): string {
  return textOf({ letter }, '');
}
