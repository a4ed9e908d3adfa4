/** Real DNS questions. Empty answers are empty arrays; no answer at all throws `UpstreamUnavailable`. */
export interface Resolver {
  /** Host names of the delegation, lower case, sorted. */
  nameservers(domain: string): Promise<string[]>;
  txt(name: string): Promise<string[]>;
  cname(name: string): Promise<string[]>;
  addresses(name: string): Promise<string[]>;
  /** Mail hosts in lower case, the preferred first; `host` is empty where the domain receives no mail (RFC 7505). */
  mx(name: string): Promise<{ host: string; priority: number }[]>;
}
