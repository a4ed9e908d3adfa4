import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nameward-sandbox-'));
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe('the sandbox as a program', () => {
  let child: ChildProcess | null = null;

  afterEach(() => {
    child?.kill('SIGKILL');
  });

  async function start(env: Record<string, string> = {}) {
    const names = ['REGISTRAR', 'PAYMENTS', 'IDENTITY', 'PANEL', 'SMTP', 'DNS', 'INTERNET', 'RDAP'];
    const started = spawn(process.execPath, [join(import.meta.dirname, '../../src/sandbox/main.ts')], {
      env: {
        ...process.env,
        SANDBOX_DIR: join(dir, 'program'),
        ...Object.fromEntries(names.map((name) => [`SANDBOX_PORTS_${name}`, '0'])),
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child = started;
    const lines: string[] = [];
    const reader = createInterface({ input: started.stdout });
    reader.on('line', (line) => lines.push(line));
    await once(reader, 'line');
    return { started, lines, ready: JSON.parse(lines[0] ?? '') as Record<string, string> };
  }

  it('says on one line that it is ready and where, says nothing else, and ends well on SIGTERM', async () => {
    const { started, lines, ready } = await start();
    expect(ready).toMatchObject({ ready: true, identity: expect.stringMatching(/^http:/) });
    expect((await fetch(`${ready.panel}/health`)).status).toBe(200);
    await fetch(`${ready.identity}/.well-known/openid-configuration`);
    started.kill('SIGTERM');
    expect(await once(started, 'exit')).toEqual([0, null]);
    expect(lines).toHaveLength(1);
  });

  it('ends with its parent when tied to it', async () => {
    const { started } = await start({ SANDBOX_TIED: '1' });
    started.stdin?.end();
    expect(await once(started, 'exit')).toEqual([0, null]);
  });
});
