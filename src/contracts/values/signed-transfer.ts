/**
 * What DNSSEC means for a transfer. The DS record at the registry names the keys of the present DNS: it stays through a
 * transfer, and a domain whose nameservers change while it is there cannot be reached by resolvers that check signatures.
 */
export function signedTransferWarning(given: { signed: boolean; nameserversChange: boolean }): string | null {
  if (!given.signed) return null;
  return given.nameserversChange
    ? 'DNSSEC is on. Its nameservers are not changed before DNSSEC is off: otherwise the domain could not be reached. Ask the current DNS provider to turn it off now, or keep the current nameservers.'
    : 'DNSSEC is on. It keeps working while the domain keeps its current nameservers. Turn it off before you use other nameservers.';
}
