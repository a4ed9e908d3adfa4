import { AppError } from '#contracts/errors.ts';
import { logoMaxBytes, logoMessages, logoTypeOf } from '#contracts/values/logo.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import { newSecret } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import type { MailBrand } from '../../ports/mail.ts';
import type { Storage, UploadGrant } from '../../ports/storage.ts';
import { findOrganisation, replaceLogo } from './organisations.repo.ts';
import { cleanPicture, smallPicture } from './picture.ts';

export interface LogoDeps {
  db: Db;
  storage: Storage;
  clock: Clock;
}

const served = (name: string) => `logos/${name}`;

/** The organisation's logo: taken from the browser through the storage, re-encoded, and served under its own name. */
export function createLogo({ db, storage, clock }: LogoDeps) {
  const incoming = (scope: Scope) => `logo-uploads/${scope.organisationId}/`;

  async function grant(scope: Scope, fileName: string): Promise<UploadGrant> {
    const contentType = logoTypeOf(fileName);
    if (!contentType) throw new AppError('unprocessable', { message: logoMessages.type });
    return storage.grantUpload({
      key: `${incoming(scope)}${newSecret()}`,
      contentType,
      maxBytes: logoMaxBytes,
      organisationId: scope.organisationId,
    });
  }

  async function finish(scope: Scope, key: string): Promise<{ logoPath: string }> {
    // A key of another organisation is one that does not exist.
    if (!key.startsWith(incoming(scope)) || !/^[\w/-]+$/.test(key)) throw new AppError('not_found');
    const picture = await take(key);
    const name = `${newSecret()}.png`;
    await storage.write(served(name), picture, 'image/png');
    const former = await inTransaction(db, scope, async (tx) => {
      const before = await replaceLogo(tx, scope, name);
      await audit(tx, scope, {
        at: clock.now(),
        action: 'users.finishLogo',
        objectKind: 'organisation',
        object: scope.organisationId,
        customerId: null,
        before: { logo: before },
        after: { logo: name },
      });
      return before;
    });
    if (former) await storage.remove(served(former));
    return { logoPath: logoPath(name) };
  }

  /** Reads what was uploaded, once: whatever it is, it does not stay. */
  async function take(key: string): Promise<Buffer> {
    const found = await storage.read(key);
    if (!found) throw new AppError('not_found', { message: logoMessages.failed });
    try {
      // A bucket's signed address cannot limit the size by itself.
      if (found.bytes > logoMaxBytes) throw new AppError('unprocessable', { message: logoMessages.size });
      return await cleanPicture(await bytesOf(found.stream));
    } finally {
      await storage.remove(key);
    }
  }

  async function picture(name: string): Promise<NodeJS.ReadableStream> {
    const found = await storage.read(served(name));
    if (!found) throw new AppError('not_found');
    return found.stream;
  }

  /** Name and logo as mails bear them. A logo that cannot be read holds up no mail. */
  async function brandOf(organisationId: string): Promise<MailBrand | null> {
    const row = await inReading(db, { organisationId }, (tx) => findOrganisation(tx, organisationId));
    if (!row) return null;
    const logo = row.logo_key ? await mailLogo(row.logo_key).catch(() => null) : null;
    return { name: row.name, logo };
  }

  async function mailLogo(name: string): Promise<Buffer | null> {
    const found = await storage.read(served(name));
    return found && smallPicture(await bytesOf(found.stream));
  }

  return { grant, finish, picture, brandOf };
}

/** Where browsers get the logo of this name. */
export function logoPath(name: string): string {
  return `/api/logo/${name}`;
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  let total = 0;
  for await (const part of stream) {
    const bytes = Buffer.from(part);
    total += bytes.length;
    if (total > logoMaxBytes) throw new AppError('unprocessable', { message: logoMessages.size });
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
