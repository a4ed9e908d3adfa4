import { startRegistrar } from '../../src/sandbox/registrar/index.ts';
import { openStore } from '../../src/sandbox/store.ts';

/** A registrar in a process of its own, for the test that kills it. */
const [, , dir = '', key = ''] = process.argv;
const part = await startRegistrar({
  store: openStore(dir),
  host: '127.0.0.1',
  port: 0,
  username: 'sandbox',
  key,
});
process.stdout.write(`${part.url}\n`);
