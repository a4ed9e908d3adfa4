import { join } from 'node:path';
import { migrate } from '../src/server/kernel/db/migrate.ts';

/** `npm run migrate`: brings the database of DATABASE_URL up to date. The login must own the schema. */
const url = process.env.DATABASE_URL;
if (!url) {
  console.error(
    'Please set DATABASE_URL. (Without one, "npm start" brings up and migrates a database itself.)',
  );
  process.exit(1);
}
const done = await migrate(url, join(import.meta.dirname, '..', 'migrations'));
console.log(done.length === 0 ? 'The database is up to date.' : done.map((name) => `ran ${name}`).join('\n'));
