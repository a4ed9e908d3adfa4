import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** What is made from the sources for an installation, each in its folder of `dist`. */
interface Build {
  name: string;
  folder: string;
  /** Files, and folders with all in them: a change of any makes the build stale. */
  reads: readonly string[];
  /** The program of a package, and what it is given. */
  builder(outDir: string): [program: string, ...args: string[]];
  finish?(outDir: string): Promise<void>;
}

const settings = ['package-lock.json', 'tsconfig.json'];

const web: Build = {
  name: 'the web app',
  folder: 'web',
  reads: ['src/web', 'src/contracts', 'vite.config.ts', ...settings],
  builder: (outDir) => [
    ...(['vite/bin/vite.js', 'build'] as const),
    ...['--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'],
  ],
  finish: compressAll,
};

const server: Build = {
  name: 'the server',
  folder: 'server',
  reads: ['src/server', 'src/contracts', 'rolldown.config.ts', ...settings],
  builder: (outDir) => ['rolldown/bin/cli.mjs', '--config', 'rolldown.config.ts', '--dir', outDir],
};

const stampName = '.sources';
// Not HTML: the server puts a nonce into each page.
const compressible = /\.(js|css|svg|json|txt)$/;
const worthwhileBytes = 1_024;

/** Builds what the sources have changed of since the last time. `onProgress` hears of each part that is built. */
export async function buildWhenStale(root: string, onProgress: (text: string) => void): Promise<void> {
  await Promise.all([web, server].map((build) => buildOne(root, build, onProgress)));
}

/** The same of the server alone. */
export function buildServerWhenStale(root: string, onProgress: (text: string) => void): Promise<void> {
  return buildOne(root, server, onProgress);
}

/** One hash over everything that the web app is built from. */
export function hashWebSources(root: string): Promise<string> {
  return hashSources(root, web);
}

/**
 * The new build takes the old one's place when it is complete: an interrupted or failed build leaves the old one.
 */
async function buildOne(root: string, build: Build, onProgress: (text: string) => void): Promise<void> {
  const target = join(root, 'dist', build.folder);
  const sources = await hashSources(root, build);
  if (await isFresh(target, sources)) return;
  onProgress(`building ${build.name}`);
  const fresh = `${target}.new-${process.pid}`;
  const old = `${target}.old-${process.pid}`;
  try {
    await mkdir(fresh, { recursive: true });
    await run(root, build, fresh);
    await build.finish?.(fresh);
    await writeFile(join(fresh, stampName), sources);
    // Another process may have built the same meanwhile, and run it already.
    if (await isFresh(target, sources)) return;
    if (existsSync(target)) await rename(target, old);
    await rename(fresh, target);
  } finally {
    await Promise.all([fresh, old].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

async function isFresh(target: string, sources: string): Promise<boolean> {
  const stamp = join(target, stampName);
  return existsSync(stamp) && (await readFile(stamp, 'utf8')) === sources;
}

async function hashSources(root: string, { reads }: Build): Promise<string> {
  const hash = createHash('sha256');
  const files = await Promise.all(reads.map((path) => filesIn(join(root, path))));
  for (const file of files.flat()) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const content = await readFile(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** The file itself, or all in the folder, sorted; nothing where nothing is. */
async function filesIn(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** As a process of its own: what builds takes more memory than all that runs afterwards. */
async function run(root: string, build: Build, outDir: string): Promise<void> {
  const [program, ...args] = build.builder(outDir);
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
    ...{ cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const started = build.name.charAt(0).toUpperCase() + build.name.slice(1);
  if (code !== 0) throw new Error(`${started} could not be built:\n${output.trimEnd()}`);
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
