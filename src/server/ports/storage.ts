export interface UploadGrant {
  /** Where the browser PUTs the bytes. */
  signedUrl: string;
  keyName: string;
}

/** Uploaded and produced files. Keys are chosen by the server; grants live five minutes and work once. */
export interface Storage {
  grantUpload(input: {
    key: string;
    contentType: string;
    maxBytes: number;
    organisationId: string;
  }): Promise<UploadGrant>;
  /** Bytes of an object as a stream; null when there is none. */
  read(key: string): Promise<{ stream: NodeJS.ReadableStream; bytes: number; contentType: string } | null>;
  write(key: string, bytes: Buffer, contentType: string): Promise<void>;
  remove(key: string): Promise<void>;
}
