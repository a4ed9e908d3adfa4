import { addYears, DAY_MS, priceText, stamp } from '../format.ts';
import { addNote, canPay, moveFunds } from '../state/account.ts';
import { deleteDomain } from '../state/deletion.ts';
import { findDomain, ownDomain, updateDomain } from '../state/domains.ts';
import { findOrders, placeOrder } from '../state/orders.ts';
import { priceCents, REDEMPTION_FEE_CENTS } from '../state/prices.ts';
import { deadlineOf, MAIL_FROM } from '../state/verification.ts';
import type { World } from '../world.ts';
import { flag, mapOf, ok, Refusal, textOf, type XcpReply, type XcpRequest } from '../xcp.ts';
import type { CommandTable } from './table.ts';

/** OpenSRS takes a .com back without charge within 4 days (checked 2026-11-21). */
const ADD_GRACE_DAYS = 4;

function verificationStatus(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  const deadline = deadlineOf(domain);
  const bounced = textOf(mapOf(domain.contacts, 'owner'), 'email').includes('bounce');
  return ok('Command successful', {
    registrant_verification_status: domain.verification,
    verification_deadline: domain.verification === 'verified' ? '' : stamp(deadline),
    days_to_suspend:
      domain.verification === 'verified' ? '' : String(Math.floor((deadline - world.now()) / DAY_MS)),
    email_bounced: flag(bounced),
  });
}

function sendVerification(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  const to = textOf(mapOf(domain.contacts, 'owner'), 'email');
  addNote(world, domain.domain, null, 'domain', `Verification e-mail sent to ${to}`);
  world.mail({
    to,
    from: MAIL_FROM,
    subject: `Please verify your e-mail address for ${domain.domain}`,
    text: `You are the registrant of ${domain.domain}.\nPlease verify this address by ${stamp(deadlineOf(domain))} UTC, or the domain will be suspended.\n`,
  });
  return ok('Verification email has been resent successfully.');
}

function redeem(world: World, request: XcpRequest): XcpReply {
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  const domain = findDomain(world, request.domain);
  if (!domain) throw new Refusal(415, 'Authentication Error.');
  const over = domain.updatedAt + world.knobs().redemptionDays * DAY_MS <= world.now();
  // Not available on the test system (checked 2026-11-21).
  if (domain.state !== 'redemption' || over || world.knobs().profile === 'horizon') {
    throw new Refusal(400, 'Domain cannot be redeemed');
  }
  const costCents = REDEMPTION_FEE_CENTS + (priceCents(world, domain.domain, 'renewal', 1) ?? 0);
  if (!canPay(world, costCents)) throw new Refusal(440, 'Redemption Failed: over quota');
  const { attributes } = request;
  placeOrder(world, {
    domain: domain.domain,
    regType: 'redeem',
    status: 'completed',
    period: 1,
    costCents,
    attributes,
  });
  updateDomain(world, domain, { state: 'active', expiresAt: addYears(domain.expiresAt, 1) });
  return ok('Command completed successfully');
}

function revoke(world: World, request: XcpRequest): XcpReply {
  const domain = ownDomain(world, request);
  const order = findOrders(
    world,
    `domain = ? AND reg_type = 'new' AND status = 'completed'`,
    domain.domain,
  )[0];
  const early = order !== undefined && world.now() - domain.createdAt < ADD_GRACE_DAYS * DAY_MS;
  if (early) moveFunds(world, order.costCents, 0);
  deleteDomain(world, domain, 'By-Request', early);
  return ok(`Domain ${domain.domain} revoked successfully.`, {
    charge: flag(!early),
    price: early ? priceText(order.costCents) : 'undef',
  });
}

export const registrantCommands: CommandTable = {
  'GET_REGISTRANT_VERIFICATION_STATUS DOMAIN': verificationStatus,
  'SEND_REGISTRANT_VERIFICATION_EMAIL DOMAIN': sendVerification,
  'REDEEM DOMAIN': redeem,
  'REVOKE DOMAIN': revoke,
};
