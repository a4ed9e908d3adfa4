import { z } from 'zod';

export const printableMessage = 'Please remove characters that cannot be printed';

/**
 * One line of text: no line breaks or other control characters, no halves of or stand-ins for lost characters, nothing
 * that turns the direction of text. Names go into mails, tables, documents and logs, where any of these would say
 * something else than what was written.
 */
export const printable = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]*$/u;

/** The type of every text of the contract that is a name, a word or a sentence. */
export const oneLine = (most: number, tooLong = `At most ${most} characters`, missing?: string) =>
  z.string(missing).trim().max(most, tooLong).regex(printable, printableMessage);

/** What servers of others say may be anything: as one line that can be stored and shown. */
export const asOneLine = (text: string, most: number) =>
  text
    .slice(0, most)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, ' ');
