import { Misused, unknown } from './misused.ts';
import type { Options } from './options.ts';

/** The words after each command, by the names that the usage has for them. */
const wordsOf: Readonly<Record<string, readonly string[]>> = {
  ...{ status: [], queue: [], differences: [], reconcile: [], prices: [], corrections: [], acts: [] },
  ...{ retry: ['KIND', 'ID'], 'retry renewal': ['ORGANISATION', 'DOMAIN'], 'end-domain': ['ID', 'REASON'] },
  'give-domain': ['DOMAIN', 'ID', 'NAME', 'CUSTOMER', 'REASON'],
  ...{ recovery: [], 'recovery begin': ['TIME'], 'recovery settle': ['ID', 'REASON'] },
  ...{ 'set-price': ['PRODUCT', 'NAME', 'KIND', 'PRICE'], 'set-prices': ['FILE'] },
  ...{
    correct: ['ID', 'NAME', 'AMOUNT', 'REFERENCE', 'REASON'],
    confirm: ['ID'],
    decline: ['ID'],
    withdraw: ['ID'],
  },
  ...{ operators: [], 'operators add': ['NAME'], 'operators end': ['ID'] },
  ...{ keys: [], 'keys reseal': [], 'audit verify': [] },
};

/** Elsewhere these would change nothing, and who typed them believes that they do. */
const optionsFor: Partial<Record<keyof Options, readonly string[]>> = {
  from: ['set-price', 'set-prices'],
  note: ['set-price', 'set-prices'],
  organisation: ['audit verify'],
};

/**
 * Throws unless a command has as many words as it takes. One too many is mostly a text without its quotation marks: what is entered
 * for good, a reason or a name, must not end at its first word.
 */
export function requireWords(name: string, typed: readonly string[], options: Partial<Options> = {}): void {
  const second = `${name} ${typed[0] ?? ''}`;
  const command = wordsOf[second] ? second : name;
  const words = wordsOf[command];
  const deeper = Object.keys(wordsOf).flatMap((one) =>
    one.startsWith(`${name} `) ? (one.split(' ')[1] ?? []) : [],
  );
  const [first] = typed;
  if (!words?.length && command === name && first !== undefined && deeper.length > 0) {
    throw unknown(`${name} command`, first, deeper);
  }
  if (!words) throw new Misused(`${name} needs a second word: ${deeper.join(' or ')}.`);
  const given = command === name ? typed : typed.slice(1);
  const missing = words.slice(given.length);
  if (missing.length > 0)
    throw new Misused(`${command} needs ${words.join(' ')}; ${missing.join(' ')} is missing.`);
  const extra = given[words.length];
  if (extra !== undefined) {
    const takes = words.length === 0 ? 'no more words' : words.join(' ');
    throw new Misused(
      `${command} takes ${takes}; "${extra}" is one word too many. Put a text of several words in quotation marks.`,
    );
  }
  for (const [option, commands] of Object.entries(optionsFor)) {
    if (options[option as keyof Options] !== undefined && !commands.includes(command)) {
      throw new Misused(`${command} takes no --${option}.`);
    }
  }
}
