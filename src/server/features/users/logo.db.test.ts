import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { logoMaxBytes } from '../../../contracts/values/logo.ts';
import { createLocalStorage, type LocalStorage } from '../../adapters/local-storage/index.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createLogo } from './index.ts';

let database: TestDatabase;
let people: People;
let storage: LocalStorage;
let logo: ReturnType<typeof createLogo>;
const directory = mkdtempSync(join(tmpdir(), 'nameward-logo-'));

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  storage = createLocalStorage({
    directory,
    signingKey: 'a key for tests only',
    publicUrl: 'https://portal.test',
    clock: people.clock,
  });
  logo = createLogo({ db: database.db, storage, clock: people.clock });
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2450c0' } });

/** Puts bytes where the grant says, as the browser's PUT ends up, and finishes. */
async function upload(scope: Scope, bytes: Buffer, name = 'logo.png') {
  const grant = await logo.grant(scope, name);
  await storage.write(grant.keyName, bytes, 'image/png');
  return { key: grant.keyName, done: () => logo.finish(scope, grant.keyName) };
}

/** So many pixels each way, black or white, in a few thousand bytes. */
function hugePng(edge: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  header[8] = 1;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(edge * (edge / 8 + 1)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const served = async (path: string) => buffer(await logo.picture(path.replace('/api/logo/', '')));

test('a photograph comes out upright, small, and without where and with what it was taken', async () => {
  const { scope } = await people.organisation();
  const photo = await picture(1_600, 800)
    .jpeg()
    .withExif({ IFD0: { Copyright: 'secret owner' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { done } = await upload(scope, photo, 'photo.JPG');
  const { logoPath } = await done();
  const bytes = await served(logoPath);
  const info = await sharp(bytes).metadata();
  expect([info.format, info.width, info.height]).toEqual(['png', 256, 512]);
  expect(info.exif).toBeUndefined();
  expect(bytes.includes('secret owner')).toBe(false);
  expect((await people.users.getProfile(scope)).logoPath).toBe(logoPath);
});

test('a new logo takes the place of the old one, of which nothing is left; an upload counts once', async () => {
  const { scope } = await people.organisation();
  const png = await picture(40, 40).png().toBuffer();
  const first = await upload(scope, png);
  const { logoPath: former } = await first.done();
  await expect(first.done()).rejects.toMatchObject({ code: 'not_found' });
  const { logoPath } = await (await upload(scope, png)).done();
  expect(logoPath).not.toBe(former);
  await expect(served(former)).rejects.toMatchObject({ code: 'not_found' });
  expect((await served(logoPath)).length).toBeGreaterThan(0);
});

test.each(['logo.svg', 'logo.gif', 'logo.jpeg', 'logo.png.exe', 'png'])(
  '%s is refused by its name',
  async (name) => {
    const { scope } = await people.organisation();
    await expect(logo.grant(scope, name)).rejects.toMatchObject({
      message: 'Invalid file type. Only .png, and .jpg files are allowed.',
    });
  },
);

test('what only calls itself a picture is refused, and does not stay', async () => {
  const { scope } = await people.organisation();
  const png = await picture(64, 64).png().toBuffer();
  const noise = await sharp(Buffer.from(Array.from({ length: 64 * 64 * 3 }, (_, i) => (i * 7919) % 251)), {
    raw: { width: 64, height: 64, channels: 3 },
  })
    .jpeg()
    .toBuffer();
  const faulty: Record<string, Buffer> = {
    html: Buffer.from('<!doctype html><script>alert(1)</script>'),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'first bytes only': Buffer.concat([png.subarray(0, 8), Buffer.from('<script>')]),
    'cut short': noise.subarray(0, Math.floor(noise.length / 2)),
    bomb: hugePng(20_000),
  };
  for (const [what, bytes] of Object.entries(faulty)) {
    const { key, done } = await upload(scope, bytes);
    await expect(done(), what).rejects.toMatchObject({ code: 'unprocessable', message: 'File is invalid' });
    expect(await storage.read(key), what).toBeNull();
  }
  const large = (bytes: number) => upload(scope, Buffer.concat([png, Buffer.alloc(bytes - png.length)]));
  const tooLarge = await large(logoMaxBytes + 1);
  await expect(tooLarge.done()).rejects.toMatchObject({ message: 'Max file size is 2MB' });
  expect(await storage.read(tooLarge.key)).toBeNull();
  await (await large(logoMaxBytes)).done();
});

test('letters bear the name of an organization and its logo, made small, and one that cannot be read holds up none', async () => {
  const { scope } = await people.organisation('Blue Fig');
  const brand = () => logo.brandOf(scope.organisationId);
  expect(await brand()).toEqual({ name: 'Blue Fig', logo: null });
  const { logoPath } = await (await upload(scope, await picture(400, 400).png().toBuffer())).done();
  const { logo: small, ...named } = (await brand()) ?? {};
  expect(named).toEqual({ name: 'Blue Fig' });
  expect(await sharp(small ?? undefined).metadata()).toMatchObject({ format: 'png', width: 72, height: 72 });
  const key = logoPath.replace('/api/logo/', 'logos/');
  await storage.write(key, Buffer.from('broken'), 'image/png');
  expect(await brand()).toEqual({ name: 'Blue Fig', logo: null });
  await storage.remove(key);
  expect(await brand()).toEqual({ name: 'Blue Fig', logo: null });
  expect(await logo.brandOf(newId())).toBeNull();
});

test('a page hidden behind a picture does not come out again', async () => {
  const { scope } = await people.organisation();
  const polyglot = Buffer.concat([
    await picture(16, 16).png().toBuffer(),
    Buffer.from('<script>alert(1)</script>'),
  ]);
  const { done } = await upload(scope, polyglot);
  const { logoPath } = await done();
  expect((await served(logoPath)).includes('<script>')).toBe(false);
});

test("another organisation's upload, and any other object, cannot be taken", async () => {
  const [mine, theirs] = [await people.organisation(), await people.organisation()];
  const { key } = await upload(theirs.scope, await picture(16, 16).png().toBuffer());
  for (const wanted of [key, 'logos/x.png', `logo-uploads/${mine.scope.organisationId}/../../secret`]) {
    await expect(logo.finish(mine.scope, wanted)).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await storage.read(key)).not.toBeNull();
});
