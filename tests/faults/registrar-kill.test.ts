import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startRegistrar } from '../../src/sandbox/registrar/index.ts';
import { answerOf, envelope, newOrder, postTo, type State } from '../../src/sandbox/registrar/test-client.ts';
import { openStore } from '../../src/sandbox/store.ts';

const KEY = 'kill-test-key';

it('kill -9 in the middle of orders: each is wholly there or not at all, and every success told is there', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'registrar-kill-'));
  const told = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./registrar-child.ts', import.meta.url)), dir, KEY],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const url = await new Promise<string>((resolve) =>
      child.stdout.once('data', (data) => resolve(String(data).trim())),
    );
    const killAfter = told.size + 4 + round;
    const order = async (index: number) => {
      const domain = `kill-${round}-${index}.com`;
      const attributes = newOrder(domain, { affiliate_id: domain });
      const xml = envelope({ protocol: 'XCP', action: 'SW_REGISTER', object: 'DOMAIN', attributes });
      const reply = answerOf(await postTo(url, xml, { key: KEY }));
      if (reply.code === '200') told.add(domain);
      if (told.size >= killAfter) child.kill('SIGKILL');
    };
    await Promise.allSettled(Array.from({ length: 40 }, (_, index) => order(index)));
    child.kill('SIGKILL');
    await exited;
  }

  const store = openStore(dir);
  const part = await startRegistrar({ store, host: '127.0.0.1', port: 0, username: 'sandbox', key: KEY });
  const state = (await part.control.state?.(null)) as State;
  await part.close();
  store.close();
  rmSync(dir, { recursive: true, force: true });
  const held = state.domains.map((domain) => domain.domain).sort();
  const paid = state.orders.filter((order) => order.status === 'completed').map((order) => order.affiliateId);
  expect(paid.sort()).toEqual(held);
  expect(Number(state.balance)).toBeCloseTo(100_000 - held.length * 10.26, 2);
  expect(told.size).toBeGreaterThanOrEqual(3);
  for (const domain of told) expect(held).toContain(domain);
});
