import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const stampName = '.sources';
// Not HTML: the server puts a nonce into each page.
const compressible = /\.(js|css|svg|json|txt)$/;
const worthwhileBytes = 1_024;

/**
 * Builds the web app into `dist/web` when its sources have changed since the last time. The new build takes the old
 * one's place when it is complete: an interrupted or failed build leaves the old one.
 */
export async function buildWebWhenStale(root: string, onProgress: (text: string) => void): Promise<void> {
  const target = join(root, 'dist', 'web');
  const sources = await hashSources(root);
  const stamp = join(target, stampName);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === sources) return;
  onProgress('building the web app');
  const fresh = `${target}.new-${process.pid}`;
  const old = `${target}.old-${process.pid}`;
  try {
    await runVite(root, fresh);
    await compressAll(fresh);
    await writeFile(join(fresh, stampName), sources);
    if (existsSync(target)) await rename(target, old);
    await rename(fresh, target);
  } finally {
    await Promise.all([fresh, old].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** One hash over everything that the build reads. */
export async function hashSources(root: string): Promise<string> {
  const hash = createHash('sha256');
  const folders = await Promise.all(
    ['src/web', 'src/contracts'].map((folder) => filesIn(join(root, folder))),
  );
  const single = ['package-lock.json', 'vite.config.ts', 'tsconfig.json'].map((file) => join(root, file));
  for (const file of [...folders.flat(), ...single]) {
    if (/\.test\.tsx?$/.test(file) || !existsSync(file)) continue;
    const content = await readFile(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function runVite(root: string, outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true });
  const program = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [program, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`The web app could not be built:\n${output.trimEnd()}`);
}

/** Small forms beside each text file, so that the server compresses nothing per request. */
async function compressAll(folder: string): Promise<void> {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  for (const file of (await filesIn(folder)).filter((name) => compressible.test(name))) {
    const content = await readFile(file);
    if (content.length < worthwhileBytes) continue;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    await writeFile(`${file}.br`, await brotli(content, { params }));
    await writeFile(`${file}.gz`, await zip(content, { level: 9 }));
  }
}
