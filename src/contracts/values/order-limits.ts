/** How much one order may hold, and for how long names are registered: for the contract, the server and the cart alike. */

/** Items of one order and of a cart: no order occupies the registrar for an hour. */
export const mostItems = 200;

/** P1 §5: years for which a new name can be bought. */
export const registrationYears = [1, 2] as const;
export type RegistrationYears = (typeof registrationYears)[number];

/** A registry keeps no name for longer. */
export const mostYears = 10;
