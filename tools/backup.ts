import { join, resolve } from 'node:path';
import { createBackup } from './backup/archive.ts';
import { endOnSignals } from './backup/unfinished.ts';
import { wordsOf } from './backup/words.ts';

/**
 * `npm run backup -- FILE [--replace]`: writes the database and the uploads into one file under BACKUP_KEY, and proves it by loading it
 * once: the database of DATABASE_MIGRATION_URL, or the portal's own in DATA_DIR (docs/operations.md, "Backup"). A file that is there
 * already is kept, unless `--replace` says that the new one may take its place.
 */
const root = join(import.meta.dirname, '..');
endOnSignals();
try {
  const { file, replace } = wordsOf(process.argv.slice(2), 'backup');
  const { tables, rows, uploads, sealKeys, keyFile } = await createBackup({
    file,
    replace,
    env: process.env,
    dataDir: resolve(root, process.env.DATA_DIR ?? 'data'),
    say: (text) => console.log(text),
  });
  console.log(`${file}: ${rows} rows of ${tables} tables, ${uploads} uploads; loaded once and compared.`);
  const keys = keyFile ? `the sealing keys in ${keyFile}` : `the sealing keys ${sealKeys.join(', ')}`;
  console.log(`It opens with BACKUP_KEY, and its contents with ${keys}: keep both elsewhere.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
