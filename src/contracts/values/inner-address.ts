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
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
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
  const groups = groupsOf(address);
  const [first = 0, second = 0, third = 0] = groups;
  // Gateways carry these to the IPv4 address that is in them: NAT64 (RFC 6052) and 6to4 (RFC 3056).
  const isNat64 = first === 0x64 && second === 0xff9b;
  if (isNat64) return groups.slice(2, 6).some((group) => group !== 0) || isInner4(ipv4Of(groups.slice(6)));
  if (first === 0x2002) return isInner4(ipv4Of([second, third]));
  const isTeredo = first === 0x2001 && second === 0;
  // Unique local, link-local, and what was site-local.
  const isLocal = (first & 0xfe00) === 0xfc00 || (first & 0xff80) === 0xfe80;
  return isTeredo || isLocal || (first & 0xff00) === 0xff00;
}

/** The eight groups of an address, as numbers. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
    .map((part) => part.map((group) => Number.parseInt(group, 16)));
  return [...head, ...Array(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail];
}

const ipv4Of = ([high = 0, low = 0]: readonly number[]) =>
  [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
