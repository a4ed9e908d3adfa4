import { join } from 'node:path';
import { createBackup } from './backup-archive.ts';

/**
 * `npm run backup -- FILE`: writes the database of DATABASE_MIGRATION_URL and the uploads into one file under BACKUP_KEY, and
 * proves it by loading it into a scratch database (docs/operations.md, "Backup").
 */
try {
  const [file] = process.argv.slice(2);
  if (!file) throw new Error('npm run backup -- FILE');
  const { tables, rows, uploads, sealKeys } = await createBackup({
    file,
    env: process.env,
    dataDir: process.env.DATA_DIR ?? join(import.meta.dirname, '..', 'data'),
    say: (text) => console.log(text),
  });
  console.log(`${file}: ${rows} rows of ${tables} tables, ${uploads} uploads; loaded once and compared.`);
  console.log(
    `It opens with BACKUP_KEY, and its contents with the sealing keys ${sealKeys.join(', ')}: keep both elsewhere.`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
