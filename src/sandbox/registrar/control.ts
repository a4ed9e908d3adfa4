import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ControlHandler } from '../part.ts';
import { addRule, faultRuleSchema } from './faults.ts';
import { balanceText, centsOf, DAY_MS, stamp } from './format.ts';
import type { KnobsInput, KnobsStore } from './knobs.ts';
import { finishOrderById, sweep } from './life.ts';
import { readAccount } from './state/account.ts';
import { findDomain, findDomains, updateDomain } from './state/domains.ts';
import { findOrders } from './state/orders.ts';
import { describeOutside, removeOutside, saveOutside } from './state/outside.ts';
import { resetState } from './state/seed.ts';
import { findTransfers, startTransferAway, stepTransfer } from './state/transfers.ts';
import { setVerification } from './state/verification.ts';
import { trustControl } from './trust/control.ts';
import type { TrustLife } from './trust/life.ts';
import type { World } from './world.ts';

const money = z.union([z.string(), z.number()]).transform((value, context) => {
  const cents = centsOf(String(value));
  if (cents === null) context.addIssue('not an amount like 100.00');
  return cents ?? 0;
});

const domainName = z.string().trim().toLowerCase().min(3);

const outsideSchema = z.strictObject({
  domain: domainName,
  /** Takes the name off the market again. */
  remove: z.boolean().optional(),
  registrar: z.string().min(1).optional(),
  /** `this`: held by us under another account; any other text: by another reseller of this registrar. */
  reseller: z.string().optional(),
  locked: z.boolean().optional(),
  ageDays: z.number().min(0).optional(),
  expiresInDays: z.number().optional(),
  authCode: z.string().min(1).optional(),
  nameservers: z.array(z.string()).optional(),
});

const datesSchema = z.strictObject({
  domain: domainName,
  ageDays: z.number().min(0).optional(),
  expiresInDays: z.number().optional(),
});

const transferSchema = z.strictObject({ domain: domainName.optional(), steps: z.int().min(1).default(1) });

/** The control plane (`/control/registrar/…`): the world's side of the registrar. */
export function registrarControl(
  world: World,
  knobs: KnobsStore,
  trust: TrustLife,
): Record<string, ControlHandler> {
  const done = { ok: true };
  return {
    ...faultControl(world),
    ...worldControl(world, knobs),
    ...trustControl(world, trust),
    latency: (body) => {
      knobs.change({ latencyMs: z.strictObject({ ms: z.int().min(0) }).parse(body).ms });
      return done;
    },
    knobs: (body) => {
      knobs.change(z.record(z.string(), z.unknown()).parse(body ?? {}) as KnobsInput);
      return knobs.read();
    },
    'deny-ip': (body) => {
      const { ip, on } = z.strictObject({ ip: z.string(), on: z.boolean().default(true) }).parse(body);
      const others = knobs.read().deniedIps.filter((denied) => denied !== ip);
      knobs.change({ deniedIps: on ? [...others, ip] : others });
      return done;
    },
    state: () => {
      sweep(world);
      return stateOf(world);
    },
    reset: () => {
      resetState(world.sql, world.now());
      knobs.reset();
      return done;
    },
  };
}

function faultControl(world: World): Record<string, ControlHandler> {
  return {
    faults: (body) => {
      for (const rule of Array.isArray(body) ? body : [body]) addRule(world, faultRuleSchema.parse(rule));
      return { ok: true };
    },
    /** Those for one name, or all of them. */
    'faults/clear': (body) => {
      const { domain } = z.strictObject({ domain: z.string().optional() }).parse(body ?? {});
      if (domain !== undefined) {
        world.sql.run("DELETE FROM registrar_faults WHERE json_extract(rule, '$.domain') = ?", domain);
        return { ok: true };
      }
      world.sql.run('DELETE FROM registrar_faults');
      world.sql.run('DELETE FROM registrar_fault_uses');
      return { ok: true };
    },
  };
}

function worldControl(world: World, knobs: KnobsStore): Record<string, ControlHandler> {
  return {
    'outside-world': (body) => {
      for (const given of Array.isArray(body) ? body : [body]) {
        const { domain, remove, ...rest } = outsideSchema.parse(given);
        if (remove) removeOutside(world, domain);
        else saveOutside(world, describeOutside(world, domain, rest));
      }
      return { ok: true };
    },
    balance: (body) => {
      const given = z
        .strictObject({
          balance: money.optional(),
          hold: money.optional(),
          shortage: z.enum(['440', 'forced_pending']).optional(),
        })
        .parse(body);
      const held = readAccount(world);
      world.sql.run(
        'UPDATE registrar_account SET balance_cents = ?, hold_cents = ? WHERE id = 1',
        given.balance ?? held.balanceCents,
        given.hold ?? held.holdCents,
      );
      if (given.shortage) knobs.change({ shortage: given.shortage });
      return { ok: true };
    },
    prices: (body) => {
      const given = z
        .strictObject({ suffix: z.string(), kind: z.enum(['new', 'renewal', 'transfer']), price: money })
        .parse(body);
      world.sql.run(
        'INSERT OR REPLACE INTO registrar_prices VALUES (?, ?, ?)',
        given.suffix.toLowerCase().replace(/^\./, ''),
        given.kind,
        given.price,
      );
      return { ok: true };
    },
    ...lifeControl(world),
  };
}

function lifeControl(world: World): Record<string, ControlHandler> {
  return {
    /** Moves open transfers on by so many steps, without waiting. */
    'domains/dates': (body) => {
      for (const given of Array.isArray(body) ? body : [body]) {
        const { domain, ageDays, expiresInDays } = datesSchema.parse(given);
        const held = findDomain(world, domain);
        if (!held) throw new Error(`${domain} is not in the account`);
        updateDomain(world, held, {
          ...(ageDays === undefined ? {} : { createdAt: world.now() - ageDays * DAY_MS }),
          ...(expiresInDays === undefined ? {} : { expiresAt: world.now() + expiresInDays * DAY_MS }),
        });
      }
      return { ok: true };
    },
    'transfers/advance': (body) => {
      const { domain, steps } = transferSchema.parse(body ?? {});
      for (let step = 0; step < steps; step += 1) {
        const open = findTransfers(world, `status LIKE 'pending%'`).filter(
          (transfer) => domain === undefined || transfer.domain === domain,
        );
        for (const transfer of open) world.sql.transaction(() => stepTransfer(world, transfer));
      }
      return { transfers: stateOf(world).transfers };
    },
    'transfers/away': (body) => {
      const given = z
        .strictObject({ domain: domainName, registrar: z.string().default('Elsewhere Names Ltd.') })
        .parse(body);
      if (!findDomain(world, given.domain)) throw new Error(`${given.domain} is not in the account`);
      world.sql.transaction(() => startTransferAway(world, given.domain, given.registrar));
      return { ok: true };
    },
    /** Lets an asynchronous registry answer now. */
    'orders/finish': (body) => {
      const { orderId } = z.strictObject({ orderId: z.coerce.string() }).parse(body);
      world.sql.transaction(() => finishOrderById(world, orderId));
      return { ok: true };
    },
    /** Signed at the registry by the previous DNS provider of the name; `signed: false` takes it away. */
    dnssec: (body) => {
      const { domain, signed } = z
        .strictObject({ domain: domainName, signed: z.boolean().default(true) })
        .parse(body);
      const held = findDomain(world, domain);
      if (!held) throw new Error(`${domain} is not in the account`);
      const digest = createHash('sha256').update(domain).digest('hex');
      const record = { key_tag: '20326', algorithm: '8', digest_type: '2', digest };
      updateDomain(world, held, { dnssec: signed ? [record] : [] });
      return { ok: true };
    },
    verify: (body) => {
      const given = z
        .strictObject({
          domain: domainName,
          status: z.string().default('verified'),
          daysLeft: z.number().optional(),
        })
        .parse(body);
      const domain = findDomain(world, given.domain);
      if (!domain) throw new Error(`${given.domain} is not in the account`);
      setVerification(world, domain, given.status, given.daysLeft);
      return { ok: true };
    },
  };
}

/** What tests count and compare. No secrets but the auth codes, which tests of transfers need. */
function stateOf(world: World) {
  const { balanceCents, holdCents } = readAccount(world);
  return {
    balance: balanceText(balanceCents),
    hold: balanceText(holdCents),
    domains: findDomains(world, '1 ORDER BY domain').map((domain) => ({
      ...domain,
      createdAt: stamp(domain.createdAt),
      expiresAt: stamp(domain.expiresAt),
      updatedAt: stamp(domain.updatedAt),
      transferredAt: domain.transferredAt === null ? null : stamp(domain.transferredAt),
      verificationAt: stamp(domain.verificationAt),
    })),
    orders: findOrders(world, '1').map(({ attributes: _, ...order }) => ({
      ...order,
      id: String(order.id),
      cost: balanceText(order.costCents),
      orderedAt: stamp(order.orderedAt),
    })),
    transfers: findTransfers(world, '1').map((transfer) => ({
      ...transfer,
      id: String(transfer.id),
      orderId: transfer.orderId === null ? null : String(transfer.orderId),
    })),
    hosts: world.sql.all<{ name: string; domain: string; ipv4: string; ipv6: string }>(
      'SELECT * FROM registrar_hosts ORDER BY name',
    ),
    zones: world.sql
      .all<{ domain: string; records: string }>('SELECT domain, records FROM registrar_zones ORDER BY domain')
      .map((zone) => ({ domain: zone.domain, records: JSON.parse(zone.records) as unknown })),
    commands: world.sql.all<{ action: string; object: string; domain: string; code: number; fault: string }>(
      'SELECT action, object, domain, code, fault FROM registrar_log ORDER BY sequence',
    ),
  };
}
