import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hourMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { newSecret, sha256 } from '#kernel/ids.ts';
import type { Storage } from '../../ports/storage.ts';
import { fromToken, type Grant, toToken } from './grant.ts';

export interface LocalStorageOptions {
  directory: string;
  signingKey: string;
  /** Of the portal, whose `/uploads` takes the bytes. */
  publicUrl: string;
  clock: Clock;
}

export interface LocalStorage extends Storage {
  /** Takes the bytes of one grant. Says why not, or null when the object is stored. */
  receive(input: {
    token: string;
    method: string;
    contentType: string;
    contentBytes: number | null;
    body: Readable;
  }): Promise<'forbidden' | 'payload_too_large' | 'bad_request' | null>;
}

const grantSeconds = 300;
/** Long after a grant has ended its mark is of no more use. */
const forgetMarksMs = hourMs;

/**
 * Objects as files of one folder, for an installation on one machine. Several processes may share the folder: objects
 * appear whole, and a grant's single use is a file that can be created once.
 */
export function createLocalStorage(options: LocalStorageOptions): LocalStorage {
  const root = resolve(options.directory);
  const objects = join(root, 'objects');
  const marks = join(root, 'used-grants');
  const incoming = join(root, 'incoming');

  /** Keys are the server's own; one that would leave the folder is a fault of ours. */
  function pathOf(key: string): string {
    if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(key) || key.endsWith('.type'))
      throw new Error(`not a key: ${key}`);
    return join(objects, key);
  }

  /** Whether this is the grant's first use, by any process. */
  async function markUsed(grant: Grant): Promise<boolean> {
    await mkdir(marks, { recursive: true });
    try {
      const mark = await open(join(marks, sha256(JSON.stringify(grant)).toString('hex')), 'wx');
      await mark.close();
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
  }

  async function forgetOldMarks(): Promise<void> {
    const before = Date.now() - forgetMarksMs;
    for (const name of await readdir(marks)) {
      const found = await stat(join(marks, name)).catch(() => null);
      if (found && found.mtimeMs < before) await rm(join(marks, name), { force: true });
    }
  }

  async function publish(key: string, temporary: string, contentType: string): Promise<void> {
    const path = pathOf(key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.type`, contentType);
    await rename(temporary, path);
  }

  async function newTemporary(): Promise<string> {
    await mkdir(incoming, { recursive: true });
    return join(incoming, newSecret());
  }

  return {
    async grantUpload({ key, contentType, maxBytes, organisationId }) {
      pathOf(key);
      const expiresAtSeconds = Math.floor(options.clock.now().getTime() / 1000) + grantSeconds;
      const grant = {
        key,
        contentType,
        maxBytes,
        organisationId,
        expiresAtSeconds,
        nonce: newSecret().slice(0, 16),
      };
      return {
        signedUrl: `${options.publicUrl}/uploads/${toToken(grant, options.signingKey)}`,
        keyName: key,
      };
    },

    async receive(input) {
      const grant = fromToken(input.token, options.signingKey);
      const nowSeconds = options.clock.now().getTime() / 1000;
      if (!grant || input.method !== 'PUT' || nowSeconds > grant.expiresAtSeconds) return 'forbidden';
      if (input.contentType !== grant.contentType) return 'forbidden';
      if (input.contentBytes !== null && input.contentBytes > grant.maxBytes) return 'payload_too_large';
      if (!(await markUsed(grant))) return 'forbidden';
      const temporary = await newTemporary();
      try {
        const limit = new ByteLimit(grant.maxBytes);
        await pipeline(input.body, limit, createWriteStream(temporary, { flags: 'wx' }));
        await publish(grant.key, temporary, grant.contentType);
        return null;
      } catch (error) {
        if (error instanceof TooManyBytes) return 'payload_too_large';
        // The browser went away in the middle.
        if (hasCode(error, 'ECONNRESET') || hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE'))
          return 'bad_request';
        throw error;
      } finally {
        await rm(temporary, { force: true });
        await forgetOldMarks();
      }
    },

    async read(key) {
      const path = pathOf(key);
      try {
        const [{ size }, contentType] = await Promise.all([stat(path), readFile(`${path}.type`, 'utf8')]);
        return { stream: createReadStream(path), bytes: size, contentType };
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
    },

    async write(key, bytes, contentType) {
      const temporary = await newTemporary();
      try {
        await writeFile(temporary, bytes, { flag: 'wx' });
        await publish(key, temporary, contentType);
      } finally {
        await rm(temporary, { force: true });
      }
    },

    async remove(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      await rm(`${path}.type`, { force: true });
    },
  };
}

class TooManyBytes extends Error {}

/** Lets so many bytes through, and ends everything with the first one beyond. */
class ByteLimit extends Transform {
  #left: number;
  constructor(maxBytes: number) {
    super();
    this.#left = maxBytes;
  }
  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: Error | null, chunk?: Buffer) => void,
  ) {
    this.#left -= chunk.length;
    if (this.#left < 0) done(new TooManyBytes());
    else done(null, chunk);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
