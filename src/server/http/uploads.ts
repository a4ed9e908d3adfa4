import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { AppError } from '#contracts/errors.ts';

export type UploadRefusal = 'forbidden' | 'payload_too_large' | 'bad_request';

export interface UploadInput {
  /** What stands in the granted address. */
  token: string;
  method: string;
  contentType: string;
  /** As announced; null when it was not. */
  contentBytes: number | null;
  body: Readable;
}

/** Takes the bytes of one grant. Says why not, or null when the file is stored. */
export interface UploadReceiver {
  receive(input: UploadInput): Promise<UploadRefusal | null>;
}

/** `PUT /uploads/{token}`: the local storage's counterpart of a signed bucket address. The token is the permission. */
export function takeUploads(app: FastifyInstance, uploads: UploadReceiver): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // The stream itself: its length is limited by the grant, and bytes beyond it are never read.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.put<{ Params: { '*': string } }>(
      '/uploads/*',
      { bodyLimit: Number.MAX_SAFE_INTEGER, config: { operation: 'storage.upload' } },
      async (request, reply) => {
        const length = request.headers['content-length'];
        const refusal = await uploads.receive({
          token: request.params['*'],
          method: request.method,
          contentType: request.headers['content-type'] ?? '',
          contentBytes: length === undefined ? null : Number(length),
          body: (request.body as Readable | undefined) ?? request.raw,
        });
        if (refusal) {
          // What is still on its way is not read.
          reply.header('connection', 'close');
          throw new AppError(refusal);
        }
        return reply.status(200).send({ data: {} });
      },
    );
    done();
  });
}
