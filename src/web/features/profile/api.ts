import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { PublicConfig } from '#contracts/operations/system.ts';
import { logoMaxBytes, logoMessages, logoTypeOf } from '#contracts/values/logo.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError, isRefusal } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import { uploadFile } from '../../lib/upload.ts';

/** P1 §8: shown when the provider does not say why. */
const notAble = 'Not able to change password';
const resetTimeoutMs = 20_000;

/** Asks the identity provider to mail a link for a new password (P1 §7); resolves with what it says. */
export function useResetPassword(identity: PublicConfig['identity'], email: string) {
  return useMutation({
    mutationFn: async () => {
      const reply = await fetch(identity.passwordResetUrl ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_id: identity.clientId,
          email,
          connection: identity.passwordResetConnection,
        }),
        signal: AbortSignal.timeout(resetTimeoutMs),
      }).catch(() => null);
      const text = (await reply?.text().catch(() => '')) ?? '';
      if (!reply?.ok) throw new Error(descriptionIn(text) ?? notAble);
      return text;
    },
  });
}

function descriptionIn(text: string): string | null {
  try {
    const { description } = JSON.parse(text) as { description?: unknown };
    return typeof description === 'string' && description !== '' ? description : null;
  } catch {
    return null;
  }
}

export function useBillingAddress(enabled: boolean) {
  return useQuery({
    queryKey: ['account', 'billing-address'],
    queryFn: ({ signal }) => call('GET /account/billing-address', { signal }),
    enabled,
  });
}

/** The address lets its holder in: asked for on click, never kept. */
export function useDashboardLink() {
  return useMutation({ mutationFn: () => call('GET /account/login'), gcTime: 0 });
}

/** P1 §4: the file is read in 1 MB chunks. */
const chunkBytes = 1024 * 1024;

/** Says what is wrong with the chosen files before anything is sent; null when nothing is (P1 §5). */
export function logoProblem(files: readonly File[]): string | null {
  const [file] = files;
  if (!file || files.length !== 1) return logoMessages.invalid;
  if (!logoTypeOf(file.name)) return logoMessages.type;
  if (!file.type.startsWith('image/')) return logoMessages.invalid;
  return file.size > logoMaxBytes ? logoMessages.size : null;
}

/** Reads, sends and finishes. `onProgress` goes from 0 to 1 over both. */
export function useUploadLogo(onProgress: (share: number) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) => {
      const contentType = logoTypeOf(file.name);
      if (!contentType) throw new Error(logoMessages.type);
      try {
        const bytes = await readInChunks(file, (share) => onProgress(share / 2));
        const { signedUrl, keyName } = await call('GET /user/upload-logo-url/:filename', {
          params: { filename: file.name },
        });
        await uploadFile({
          url: signedUrl,
          file: bytes,
          contentType,
          onProgress: (share) => onProgress(0.5 + share / 2),
        });
        await call('POST /user/upload-logo-finish', { body: { key: keyName } }).catch((error: Error) => {
          // Without an answer it may be in use.
          if (!isRefusal(error)) void client.invalidateQueries({ queryKey: ['profile'] });
          throw error;
        });
      } catch (error) {
        throw new Error(messageOf(error), { cause: error });
      }
    },
    // P1 §4: after success the user is refetched.
    onSuccess: () => client.invalidateQueries({ queryKey: ['profile'] }),
  });
}

/** The server's message about the file itself is shown unchanged. Any other failure has one text. */
function messageOf(error: unknown): string {
  const told: readonly string[] = Object.values(logoMessages);
  return error instanceof ApiError && told.includes(error.message) ? error.message : logoMessages.failed;
}

/** P1 §4: in chunks of 1 MB, with how far it is. */
export async function readInChunks(file: File, onProgress: (share: number) => void): Promise<Blob> {
  const parts: ArrayBuffer[] = [];
  for (let offset = 0; offset < file.size; offset += chunkBytes) {
    parts.push(await file.slice(offset, offset + chunkBytes).arrayBuffer());
    onProgress(Math.min(1, (offset + chunkBytes) / file.size));
  }
  return new Blob(parts);
}
