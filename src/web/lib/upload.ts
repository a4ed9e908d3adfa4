import { ApiError, somethingWentWrong } from './api-error.ts';

export interface UploadOptions {
  url: string;
  file: Blob;
  contentType: string;
  /** 0 to 1. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

/** PUTs a file to a signed address and tells how far it is. Sends no token: the address is the permission. */
export function uploadFile({ url, file, contentType, onProgress, signal }: UploadOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    // fetch cannot tell how much has been sent.
    const request = new XMLHttpRequest();
    const fail = (code: 'network' | 'unknown') =>
      reject(
        new ApiError(request.statusText || somethingWentWrong, {
          code,
          status: request.status,
          requestId: request.getResponseHeader('x-request-id') ?? undefined,
        }),
      );
    request.open('PUT', url);
    request.setRequestHeader('content-type', contentType);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress?.(event.loaded / event.total);
    };
    request.onload = () => (request.status >= 200 && request.status < 300 ? resolve() : fail('unknown'));
    request.onerror = () => fail('network');
    request.onabort = () => reject(new DOMException('Given up', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
