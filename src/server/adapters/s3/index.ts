import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { assertNoTransaction } from '#kernel/db/transaction-context.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Storage } from '../../ports/storage.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** null: the vendor's own. */
  endpoint: string | null;
  /** null: from the machine's role or profile, as the SDK finds them. */
  accessKeyId: string | null;
  secretAccessKey: string | null;
  forcePathStyle: boolean;
}

const grantSeconds = 300;

/**
 * Objects in a bucket. A signed PUT cannot limit the size (checked 2026-11-21), nor is it used up by its use: code that
 * finishes an upload reads `bytes` again before anything else, and takes the object only once.
 */
export function createS3(options: S3Options): Storage {
  const { accessKeyId, secretAccessKey } = options;
  let client: S3Client | undefined;
  /** The SDK takes 30 MB, so it is there from its first use on, and only where a bucket is used. */
  async function opened() {
    const sdk = await import('@aws-sdk/client-s3');
    client ??= new sdk.S3Client({
      region: options.region,
      forcePathStyle: options.forcePathStyle,
      followRegionRedirects: false,
      maxAttempts: 3,
      // Other makers' services do not know the SDK's newer checksums (checked 2026-11-21).
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(options.endpoint ? { endpoint: options.endpoint } : {}),
      ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    });
    return { ...sdk, client };
  }
  const at = (key: string) => ({ Bucket: options.bucket, Key: key });

  async function ask<T>(
    what: string,
    call: (sdk: Awaited<ReturnType<typeof opened>>) => Promise<T>,
  ): Promise<T | null> {
    assertNoTransaction(`storage: ${what}`);
    const sdk = await opened();
    try {
      return await call(sdk);
    } catch (error) {
      if (error instanceof sdk.S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
      throw new UpstreamUnavailable(`storage: ${what}`, { cause: error });
    }
  }

  return {
    async grantUpload({ key, contentType }) {
      const sdk = await opened();
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      const command = new sdk.PutObjectCommand({ ...at(key), ContentType: contentType });
      const signedUrl = await getSignedUrl(sdk.client, command, {
        expiresIn: grantSeconds,
        // Without this the type would not be part of what is signed.
        signableHeaders: new Set(['content-type']),
      });
      return { signedUrl, keyName: key };
    },

    async read(key) {
      const object = await ask('read', (sdk) => sdk.client.send(new sdk.GetObjectCommand(at(key))));
      if (!object?.Body) return null;
      return {
        stream: object.Body as Readable,
        bytes: object.ContentLength ?? 0,
        contentType: object.ContentType ?? 'application/octet-stream',
      };
    },

    async write(key, bytes, contentType) {
      const input = { ...at(key), Body: bytes, ContentLength: bytes.length, ContentType: contentType };
      const written = await ask('write', (sdk) => sdk.client.send(new sdk.PutObjectCommand(input)));
      if (!written) throw new UpstreamUnavailable('storage: there is no such bucket');
    },

    async remove(key) {
      await ask('remove', (sdk) => sdk.client.send(new sdk.DeleteObjectCommand(at(key))));
    },
  };
}
