/** NIST SP 800-89 5.3.3, which the Baseline Requirements ask authorities to follow: from 2^16 + 1 to 2^256 - 1. */
const least = 65_537n;
const mostBytes = 32;

/** Whether a public exponent of RSA is safe. With 1 anybody signs for the key; an even one has no inverse. */
export function isSafeExponent(bytes: Uint8Array): boolean {
  // Zeros in front do not count. Without anything else the exponent is 0, which is refused below.
  const first = bytes.findIndex((byte) => byte !== 0);
  if (bytes.length - first > mostBytes) return false;
  const exponent = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return exponent >= least && exponent % 2n === 1n;
}
