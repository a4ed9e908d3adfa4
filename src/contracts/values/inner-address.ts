import { shortIpv6 } from './dns-records.ts';

/** The first bits of networks that nobody on the internet reaches (RFC 6890): address and length. */
const inner4: readonly (readonly [string, number])[] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['224.0.0.0', 3],
  ] as const),
];

/** Whether an address is of an inner network, of the machine itself, or of no single machine. */
export function isInnerAddress(address: string): boolean {
  return address.includes(':') ? isInner6(shortIpv6(address)) : isInner4(address);
}

function isInner4(address: string): boolean {
  const value = bitsOf(address);
  return inner4.some(([network, bits]) => (value ^ bitsOf(network)) >>> (32 - bits) === 0);
}

const bitsOf = (address: string) =>
  address.split('.').reduce((value, part) => ((value << 8) | Number(part)) >>> 0, 0);

function isInner6(address: string): boolean {
  // `::`, `::1`, and IPv4 addresses in the form of IPv6.
  if (address.startsWith('::')) return true;
  const first = Number.parseInt(address.split(':', 1)[0] ?? '', 16);
  const isLocal = (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80;
  return isLocal || (first & 0xff00) === 0xff00;
}
