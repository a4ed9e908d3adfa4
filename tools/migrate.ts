import { join } from 'node:path';
import { passwordsOf } from '../src/server/kernel/db/logins.ts';
import { migrate } from '../src/server/kernel/db/migrate.ts';

/**
 * `npm run migrate`: brings the database of DATABASE_MIGRATION_URL up to date. That login owns the schema; it makes the
 * logins of DATABASE_URL and DATABASE_SYSTEM_URL, with the passwords given there, where it may and they are missing.
 */
if (process.argv.length > 2) {
  console.error('npm run migrate takes no words. It works on the database of DATABASE_MIGRATION_URL.');
  process.exit(2);
}
const { DATABASE_MIGRATION_URL: url, DATABASE_URL: tenants, DATABASE_SYSTEM_URL: system } = process.env;
if (!url) {
  console.error(
    'Please set DATABASE_MIGRATION_URL. (Without any database named, "npm start" brings up and migrates a database itself.)',
  );
  process.exit(1);
}
const passwords = passwordsOf({ tenants, system });
const done = await migrate(url, join(import.meta.dirname, '..', 'migrations'), passwords);
console.log(done.length === 0 ? 'The database is up to date.' : done.map((name) => `ran ${name}`).join('\n'));
