/** Most characters of what people write in one field, for the contract and for the fields of forms alike. */
export const mostCharacters = {
  /** Of a token, a saved view or a DNS template. */
  name: 60,
  mappingName: 80,
  /** The reason of a change, or what is new in a price list. */
  reason: 200,
  /** Of a change of many domains, which versions of zones name with its ticket. */
  changeTitle: 100,
  ticket: 90,
  chargeNote: 500,
  /** A line of an address, as on an envelope. */
  addressLine: 100,
  taxId: 40,
} as const;

/** Lines of an address, as on an envelope. */
export const mostAddressLines = 6;
