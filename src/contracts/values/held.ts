/** On each answer while a recovery compares the portal's records, so that a page knows before somebody types (docs/decisions/0338). */
export const heldHeader = 'nameward-held';

export const heldText =
  'The portal is comparing its records with the registrar and the payment provider. Nothing can be changed until it has finished.';
