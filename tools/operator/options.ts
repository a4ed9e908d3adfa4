import { parseArgs } from 'node:util';
import { Misused, unknown } from './misused.ts';

const options = {
  from: { type: 'string' },
  note: { type: 'string' },
  organisation: { type: 'string' },
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export interface Options {
  from?: string;
  note?: string;
  organisation?: string;
  yes: boolean;
  json: boolean;
  help: boolean;
}

/** An amount that is taken back begins as an option does. */
const withoutMinus = (text: string) => text.replace(/^-(?=\d)/, '−');
const withMinus = (text: string) => text.replace(/^−(?=\d)/, '-');

/** What was typed, as options and words. */
export function read(typed: readonly string[]): { values: Options; words: string[] } {
  const args = typed.map(withoutMinus);
  const { tokens } = parseArgs({ args, allowPositionals: true, strict: false, tokens: true, options });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!isOption(name)) {
      const known = Object.keys(options).map((option) => `--${option}`);
      throw unknown('option', rawName, known);
    }
    const takesText = options[name].type === 'string';
    if (takesText && value === undefined) throw new Misused(`--${name} needs a value.`);
    if (!takesText && value !== undefined) throw new Misused(`--${name} takes no value.`);
  }
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  return { values: values as Options, words: positionals.map(withMinus) };
}

const isOption = (name: string): name is keyof typeof options => Object.hasOwn(options, name);
