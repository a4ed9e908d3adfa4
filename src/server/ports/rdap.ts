/** What a registry says of a registered name to everybody. */
export interface Registration {
  /** Lower case. */
  name: string;
  registrar: string | null;
  registeredAt: Date | null;
  expiresAt: Date | null;
  /** Lower case, sorted. */
  nameservers: string[];
  /** As RFC 8056 writes the codes of EPP, in lower case: `client transfer prohibited`. */
  statuses: string[];
}

/** Registries, asked by RDAP (RFC 9083). */
export interface Rdap {
  /** null: nobody has it. Throws `UpstreamUnavailable` where nobody answers, or the suffix has no RDAP server. */
  registration(domain: string): Promise<Registration | null>;
}
