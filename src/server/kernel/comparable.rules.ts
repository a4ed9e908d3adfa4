/**
 * A text by which persons are known (an address, a name), as it is compared: capitals of any language, accents that are written apart,
 * and spaces around it make no difference. The database does the same by `comparableIn` of `db/comparable.ts`.
 */
export const comparable = (text: string): string => text.normalize('NFC').trim().toLowerCase();
