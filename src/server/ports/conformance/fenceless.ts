import { type Fenceless, fenceless } from '#kernel/testing/fences.ts';
import type { Payments } from '../payments.ts';
import type { Registrar } from '../registrar.ts';

export type FencelessRegistrar = Fenceless<Registrar>;

/** The registrar for tests of adapters: its claims always hold. */
export function fencelessRegistrar(registrar: Registrar): FencelessRegistrar {
  return fenceless<Registrar>(registrar, {
    ...{ register: 1, renew: 1, redeem: 1, transferIn: 1, cancelTransfer: 1 },
    ...{ setLock: 2, setAutoRenew: 2, setPrivacy: 2, setContacts: 2, setNameservers: 2 },
    ...{ createGlue: 2, updateGlue: 2, deleteGlue: 2 },
    ...{ removeDsRecords: 1, createZone: 1, replaceZone: 2, deleteZone: 1, useRegistrarNameservers: 1 },
    ...{ resendVerification: 1, acknowledgeEvent: 1 },
    ...{ orderCertificate: 1, setCertificateValidation: 3, resendApproval: 1, cancelCertificateOrder: 1 },
  });
}

/** The payment provider for tests of adapters: its claims always hold. */
export function fencelessPayments(payments: Payments): Fenceless<Payments> {
  return fenceless<Payments>(payments, {
    ...{ createCustomer: 1, createAccount: 1, createConnectedCustomer: 1 },
    ...{ createTopUp: 1, chargeStored: 1, cancelPayment: 1 },
    ...{ chargeConnected: 1, retryConnected: 1, refundConnected: 1 },
  });
}
