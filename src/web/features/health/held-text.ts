/** Of a name that is not held here: where it is. */
export const heldText = ({ registrar }: { registrar: string | null }) =>
  registrar === null ? 'Watched, held elsewhere' : `Watched, held at ${registrar}`;
