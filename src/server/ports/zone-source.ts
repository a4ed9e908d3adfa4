/** A record as the DNS shows it. Fields are named as in our own zones where our zones have the type, else `data` holds them. */
export interface SeenRecord {
  /** Lower case, without a dot at the end. */
  name: string;
  type: string;
  fields: Readonly<Record<string, string | number>>;
}

export const askedTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS', 'DS'] as const;
export type AskedType = (typeof askedTypes)[number];

export interface SeenName {
  /** False: there is no such name, nor one below it. */
  exists: boolean;
  /** Of the name itself: what an alias leads to is not followed. */
  records: SeenRecord[];
}

/** Zones of others, read by questions. What was not answered throws `UpstreamUnavailable`: silence is never "no record". */
export interface ZoneSource {
  /** One question to the configured servers. */
  ask(name: string, type: AskedType): Promise<SeenName>;
  /** The same to the servers with these names, the first that answers. */
  askServers(servers: readonly string[], name: string, type: AskedType): Promise<SeenName>;
  /** The whole zone from one of these servers (AXFR, RFC 5936); null where none of them gives it away. */
  transfer(domain: string, servers: readonly string[]): Promise<SeenRecord[] | null>;
}
