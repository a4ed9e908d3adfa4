/** Real DNS questions. Empty answers are empty arrays; no answer at all throws `UpstreamUnavailable`. */
export interface Resolver {
  /** Host names of the delegation, lower case, sorted. */
  nameservers(domain: string): Promise<string[]>;
  txt(name: string): Promise<string[]>;
  cname(name: string): Promise<string[]>;
  /** Of both versions of IP: two questions. */
  addresses(name: string): Promise<string[]>;
  /** Mail hosts in lower case, the preferred first; `host` is empty where the domain receives no mail (RFC 7505). */
  mx(name: string): Promise<{ host: string; priority: number }[]>;
  /** Which authorities may issue for the name (RFC 8659); parents are not looked at. */
  caa(name: string): Promise<{ tag: string; value: string }[]>;
}
