import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Loaded before a program's own code (`judge.ts`): it reads one of its files with a planted bug. */
const { url, text } = JSON.parse(readFileSync(process.env.PLANTED_BUG, 'utf8'));
registerHooks({
  load: (of, context, next) =>
    of === url ? { format: 'module-typescript', source: text, shortCircuit: true } : next(of, context),
});
