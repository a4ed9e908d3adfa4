import type { RegistrarCertificates } from './registrar/certificates.ts';
import type { RegistrarEvents } from './registrar/events.ts';
import type { RegistrarNames } from './registrar/names.ts';
import type { RegistrarOrders } from './registrar/orders.ts';
import type { RegistrarSettings } from './registrar/settings.ts';
import type { RegistrarZones } from './registrar/zones.ts';

export type * from './registrar/certificates.ts';
export type * from './registrar/events.ts';
export type * from './registrar/names.ts';
export type * from './registrar/orders.ts';
export type * from './registrar/settings.ts';
export type * from './registrar/zones.ts';

/**
 * The registrar as the product sees it: names in lower-case ASCII, cents, dates, closed outcomes. Six interfaces, so that a
 * second registrar can start with two of them (names and orders); a feature asks for those that it needs.
 * Reads throw `UpstreamUnavailable` or `UpstreamRefused`; acts return an `Outcome` and never throw for
 * anything the registrar or the network does. `tag` is our item id: it travels with an order and is what
 * reconciliation finds the order by (design: registrar orders carry our id). Every act takes a fence: the claim under
 * which it is made, asked for right before the wire (design: fences).
 */
export interface Registrar
  extends RegistrarNames,
    RegistrarOrders,
    RegistrarSettings,
    RegistrarZones,
    RegistrarCertificates,
    RegistrarEvents {}
