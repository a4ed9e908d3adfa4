import { join, resolve } from 'node:path';
import { restoreBackup } from './backup/archive.ts';
import { endOnSignals } from './backup/unfinished.ts';
import { wordsOf } from './backup/words.ts';

/**
 * `npm run restore -- FILE [--replace]`: loads a backup into the database of DATABASE_MIGRATION_URL, or into the portal's own
 * in DATA_DIR. That one must be empty, unless `--replace` says that what is in it may go. The portal compares it with the world when it starts.
 */
const root = join(import.meta.dirname, '..');
endOnSignals();
try {
  const { file, replace } = wordsOf(process.argv.slice(2), 'restore');
  const { at, rows, tables, uploads } = await restoreBackup({
    file,
    replace,
    env: process.env,
    dataDir: resolve(root, process.env.DATA_DIR ?? 'data'),
    migrations: join(root, 'migrations'),
    say: (text) => console.log(text),
  });
  console.log(`The backup of ${at} is in place: ${rows} rows of ${tables} tables, ${uploads} uploads.`);
  console.log(
    'Start the portal. It sends nothing until it has compared everything since then: npm run operator -- recovery',
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
