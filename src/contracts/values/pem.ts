/**
 * Returns the contents of all blocks of one kind (RFC 7468), in order. By plain search: a pattern would look for the end of
 * each beginning again.
 */
export function pemBodies(text: string, label: string): string[] {
  const end = `-----END ${label}-----`;
  const [, ...pieces] = text.split(`-----BEGIN ${label}-----`);
  return pieces.filter((piece) => piece.includes(end)).map((piece) => piece.split(end, 1)[0] ?? '');
}

export const requestLabels = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'] as const;
