import type { Registrar, TransferStatus } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { dayText, integer } from '../fields.ts';
import { type Gateway, plain } from '../gateway.ts';
import { transferReason } from '../texts.ts';
import { flag, maps, oneLine, text, type XcpMap } from '../xcp.ts';

export type TransferCommands = Pick<
  Registrar,
  'checkTransfer' | 'transferStatus' | 'transfersSince' | 'cancelTransfer'
>;

/** The most that a page of transfers has (§11). */
const pageSize = 40;

const statuses: Record<string, TransferStatus> = {
  pending_owner: 'pending_owner',
  pending_admin: 'pending_admin',
  pending_registry: 'pending_registry',
  completed: 'completed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  undef: 'undefined',
};

export function transferCommands(gateway: Gateway): TransferCommands {
  return {
    async checkTransfer(domain) {
      const { attributes } = await gateway.read(commands.checkTransfer, { domain });
      const said = text(attributes, 'reason');
      const reason = said === null ? null : transferReason(oneLine(said));
      return {
        transferable: flag(attributes, 'transferrable'),
        unavailable: flag(attributes, 'noservice'),
        ...{ reason: reason?.text ?? null, hindrance: reason?.hindrance ?? null },
        reasonCode: text(attributes, 'reason_code'),
        status: statusOf(attributes),
      };
    },

    /** Asking has an effect at the registrar: what waits for the registry is completed within minutes (§10.1). */
    async transferStatus(domain) {
      const { attributes } = await gateway.read(commands.checkTransfer, { domain, check_status: '1' });
      return statusOf(attributes) ?? 'undefined';
    },

    async *transfersSince(since) {
      const seen = new Set<string>();
      for (let page = 1, left = 1; left > 0; page += 1) {
        const { attributes } = await gateway.read(commands.transfersIn, {
          ...{ order_from: dayText(since), page: String(page), limit: String(pageSize) },
        });
        const rows = maps(attributes, 'transfers');
        for (const row of rows) {
          const domain = text(row, 'domain')?.toLowerCase();
          if (!domain || seen.has(domain)) continue;
          seen.add(domain);
          yield domain;
        }
        left = rows.length === 0 ? 0 : (integer(attributes, 'total') ?? 0) - page * pageSize;
      }
    },

    cancelTransfer: (orderId, fence) =>
      gateway.act(
        {
          command: commands.cancelTransfer,
          fence,
          attributes: () => ({ reseller: gateway.username, order_id: orderId }),
        },
        plain,
      ),
  };
}

function statusOf(attributes: XcpMap): TransferStatus | null {
  return statuses[text(attributes, 'status')?.toLowerCase() ?? ''] ?? null;
}
