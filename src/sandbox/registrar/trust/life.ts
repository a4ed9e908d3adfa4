import { DAY_MS } from '../format.ts';
import { hasWord } from '../names.ts';
import type { World } from '../world.ts';
import { type Authority, maxValidityDays, reuseDays } from './authority.ts';
import { type CheckOptions, checkControl } from './check.ts';
import { type ReadCsr, readCsr } from './csr.ts';
import {
  addProduct,
  type CertificateOrder,
  endCertificateOrder,
  findCertificateOrder,
  findCertificateOrders,
  findProduct,
  productState,
  updateCertificateOrder,
} from './state.ts';

export interface TrustLife {
  authority: Authority;
  dnsServer: () => string | null;
  /** Where the approval page is. */
  pagesUrl: () => string;
}

/** One round of what the authority does by itself: letters, checks, issuing, and reissues inside the term. */
export async function trustRound(world: World, life: TrustLife): Promise<void> {
  const now = world.now();
  const isOpen = `state IN ('awaiting-approval', 'approver-confirmed', 'in-progress') AND held = 0 AND next_check_at <= ?`;
  for (const { id } of findCertificateOrders(world, isOpen, now)) {
    // Read again: the check of another order takes its time, and this one may have been declined meanwhile.
    const [order] = findCertificateOrders(world, `${isOpen} AND id = ?`, now, id);
    if (order) await step(world, life, order);
  }
  const { certificateReissueDays } = world.knobs();
  if (certificateReissueDays === 0) return;
  for (const order of findCertificateOrders(
    world,
    `state = 'completed' AND held = 0 AND term_ends_at > ?`,
    now,
  )) {
    const product = findProduct(world, order.productId);
    if (!product || productState(world, product) !== 'active') continue;
    const ends = Math.min(order.termEndsAt, now + maxValidityDays(now) * DAY_MS);
    const due = product.notAfter - now <= certificateReissueDays * DAY_MS && ends - product.notAfter > DAY_MS;
    if (due && (await stillProven(world, life, order))) await issue(world, life, order);
  }
}

async function step(world: World, life: TrustLife, order: CertificateOrder): Promise<void> {
  if (order.state === 'awaiting-approval') await prove(world, life, order);
  else if (order.state === 'approver-confirmed') {
    const { certificateIssueMs } = world.knobs();
    const change = { state: 'in-progress', nextCheckAt: world.now() + certificateIssueMs } as const;
    updateCertificateOrder(world, order, change, 'Control of the name is proven.');
  } else await issue(world, life, order);
}

async function prove(world: World, life: TrustLife, order: CertificateOrder): Promise<void> {
  const knobs = world.knobs();
  const nextCheckAt = world.now() + knobs.certificateCheckMs;
  if (hasWord(order.domain, 'nocert')) {
    endCertificateOrder(world, order, 'declined', 'The authority does not issue for this name.');
    return;
  }
  if (order.method === 'Email' && !order.mailed) {
    world.mail(approvalMail(life, order));
    updateCertificateOrder(
      world,
      order,
      { mailed: true, nextCheckAt },
      `Approval mail sent to ${order.approver}`,
    );
    return;
  }
  const problem = await checkControl(order, optionsOf(world, life));
  const current = findCertificateOrder(world, String(order.id));
  // Cancelled, or another method chosen, while the question was under way.
  if (current?.state !== 'awaiting-approval' || current.method !== order.method) return;
  if (problem === null) {
    updateCertificateOrder(world, current, {
      state: 'approver-confirmed',
      validatedAt: world.now(),
      nextCheckAt: world.now(),
    });
    return;
  }
  const known = current.notes.at(-1)?.note === problem;
  updateCertificateOrder(world, current, { nextCheckAt }, known ? undefined : problem);
}

async function stillProven(world: World, life: TrustLife, order: CertificateOrder): Promise<boolean> {
  const now = world.now();
  if ((order.validatedAt ?? 0) > now - reuseDays(now) * DAY_MS) return true;
  // A mailbox cannot be asked without a person.
  if (order.method === 'Email') return false;
  if ((await checkControl(order, optionsOf(world, life))) !== null) return false;
  const current = findCertificateOrder(world, String(order.id));
  if (current) updateCertificateOrder(world, current, { validatedAt: now });
  return true;
}

function optionsOf(world: World, life: TrustLife): CheckOptions {
  return { dnsServer: life.dnsServer(), httpPort: world.knobs().certificateHttpPort };
}

async function issue(world: World, life: TrustLife, order: CertificateOrder): Promise<void> {
  const now = world.now();
  await issueFor(world, life, order, {
    by: 'authority',
    notBefore: now - 3_600_000,
    notAfter: Math.min(order.termEndsAt, now + maxValidityDays(now) * DAY_MS - 3_601_000),
  });
}

/** Issues with the given dates; the control plane makes certificates of the past, and replaces whatever there is. */
export async function issueFor(
  world: World,
  life: TrustLife,
  order: CertificateOrder,
  { by, ...span }: { by: 'authority' | 'control'; notBefore: number; notAfter: number },
): Promise<void> {
  const csr = readCsr(order.csr);
  if (!csr) {
    endCertificateOrder(world, order, 'declined', 'The signing request cannot be read.');
    return;
  }
  const issued = await life.authority.issue(csr, namesOf(csr, order), span);
  world.sql.transaction(() => {
    const current = findCertificateOrder(world, String(order.id));
    if (!current || current.state === 'cancelled' || current.state === 'declined') return;
    // While it was signed, another round was faster, or somebody revoked the one before.
    const isSame = current.state === order.state && current.productId === order.productId && !current.held;
    if (by === 'authority' && !isSame) return;
    const product = addProduct(world, { orderId: order.id, domain: order.domain, ...issued });
    updateCertificateOrder(
      world,
      current,
      { state: 'completed', productId: product.productId },
      `Issued ${issued.serial}`,
    );
  });
}

/** The names asked for, and with a name itself its www: what authorities add for nothing. */
export function namesOf(csr: ReadCsr, order: Pick<CertificateOrder, 'domain'>): string[] {
  const names = csr.names.length > 0 ? csr.names : [order.domain];
  const first = names[0] ?? order.domain;
  const bare = first.replace(/^(www|\*)\./, '');
  const free = first.startsWith('*.') ? [bare] : first.startsWith('www.') ? [bare] : [];
  const www = first === order.domain && order.domain.split('.').length === 2 ? [`www.${first}`] : [];
  return [...new Set([...names, ...free, ...www])];
}

function approvalMail(life: TrustLife, order: CertificateOrder) {
  return {
    to: order.approver,
    from: 'approvals@sandbox-authority.com',
    subject: `Approve the certificate for ${order.domain}`,
    text: [
      `A certificate for ${order.domain} was ordered (order ${order.id}).`,
      'If you control this name, approve it here:',
      `${life.pagesUrl()}/approve/${order.token}`,
      'If you do not know of it, do nothing: no certificate will be issued.',
    ].join('\n\n'),
  };
}
