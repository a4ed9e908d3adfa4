/**
 * Words that the log keeps of a customer in place of what they stand for (docs/decisions/0323): a contact that is as the owner, and
 * markups of which each is none. They stand in place of objects, so nothing that a person entered can be taken for them.
 */
export const keptWords = { asOwner: 'as owner', noMarkup: 'none' } as const;

const plainWords = { asOwner: 'Same as owner', noMarkup: 'No markup' } as const;

/** What was before or after an entry of the log, with these words as a person reads them. */
export function inPlainWords(kept: unknown): unknown {
  if (!isParts(kept)) return kept;
  const { contacts, markups } = kept;
  return {
    ...kept,
    ...(markups === keptWords.noMarkup ? { markups: plainWords.noMarkup } : {}),
    ...(isParts(contacts) ? { contacts: contactsInWords(contacts) } : {}),
  };
}

const contactsInWords = (contacts: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(contacts).map(([kind, said]) => [
      kind,
      said === keptWords.asOwner ? plainWords.asOwner : said,
    ]),
  );

const isParts = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
