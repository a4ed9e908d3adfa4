import {
  IconCertificate,
  IconClipboardList,
  IconCreditCard,
  IconFileImport,
  IconMailQuestion,
  IconReceipt2,
  IconReceiptRefund,
  IconRefresh,
  IconServer2,
  IconStack2,
  IconStethoscope,
  IconTransfer,
  IconTrash,
} from '@tabler/icons-react';
import type { AttentionItem } from '#contracts/operations/attention.ts';

/** How a cause is shown: its sign before an item, its name in the filter. */
export const causesShown: Record<AttentionItem['cause'], { label: string; Icon: typeof IconRefresh }> = {
  renewal: { label: 'Renewals', Icon: IconRefresh },
  restore: { label: 'Deleted domains', Icon: IconTrash },
  certificate: { label: 'Certificates', Icon: IconCertificate },
  acme: { label: 'ACME', Icon: IconCertificate },
  transfer: { label: 'Transfers', Icon: IconTransfer },
  registrant: { label: 'Registrants', Icon: IconMailQuestion },
  charge: { label: 'Direct charges', Icon: IconCreditCard },
  refund: { label: 'Refunds', Icon: IconReceiptRefund },
  payment: { label: 'Payments', Icon: IconReceipt2 },
  order: { label: 'Orders', Icon: IconClipboardList },
  import: { label: 'Imports', Icon: IconFileImport },
  change: { label: 'Changes', Icon: IconStack2 },
  health: { label: 'Health', Icon: IconStethoscope },
  move: { label: 'Transfer lists', Icon: IconTransfer },
  'move-dns': { label: 'DNS after transfers', Icon: IconServer2 },
  'zone-write': { label: 'DNS changes', Icon: IconServer2 },
};
