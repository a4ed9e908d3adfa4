/** Nothing listens there. That is an answer; silence is none, and throws `UpstreamUnavailable`. */
export type Refused = 'refused';

export interface SeenCertificate {
  names: string[];
  /** Hexadecimal, lower case, without zeros at the front. */
  serial: string;
  validFrom: Date;
  validTo: Date;
  /** Why a browser would not accept it; null: it would. */
  trouble: string | null;
}

export interface SeenWebsite {
  certificate: SeenCertificate;
  /** Of a HEAD request for "/"; null: none came. */
  status: number | null;
}

/**
 * Servers of others, looked at as any client does: one short connection each, nothing is sent that changes anything. They are
 * reached at the address that is given, so a name cannot lead elsewhere in between; addresses of inner networks are never
 * connected to. Bytes and time are bounded.
 */
export interface Probe {
  /** Port 443 under this name: the certificate, and how "/" is answered. */
  website(host: string, address: string): Promise<SeenWebsite | Refused>;
  /** Port 80: how "/" is answered. */
  plainWebsite(host: string, address: string): Promise<{ status: number } | Refused>;
  /** A small text file by HTTPS; `untrusted`: a browser would not accept the certificate. Redirects are not followed. */
  file(
    host: string,
    address: string,
    path: string,
  ): Promise<{ status: number; text: string } | 'untrusted' | Refused>;
  /** Port 25: what the server offers. No mail is begun. */
  mailServer(address: string): Promise<{ startTls: boolean } | Refused>;
  /** What a nameserver says of a zone: whether it is authoritative, and the serial of its copy. By TCP (RFC 7766). */
  nameserver(
    domain: string,
    address: string,
  ): Promise<{ authoritative: boolean; serial: number | null } | Refused>;
}
