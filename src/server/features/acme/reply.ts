/** What the protocol answers; the edge adds nonce and directory link. */
export interface AcmeReply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  json?: object;
  /** Instead of JSON. */
  text?: { type: string; content: string };
}
