/** Real DNS questions. Empty answers are empty arrays; no answer at all throws `UpstreamUnavailable`. */
export interface Resolver {
  /** Host names of the delegation, lower case, sorted. */
  nameservers(domain: string): Promise<string[]>;
  txt(name: string): Promise<string[]>;
  cname(name: string): Promise<string[]>;
  addresses(name: string): Promise<string[]>;
}
