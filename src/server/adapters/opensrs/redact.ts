import type { XcpAttributes, XcpInput } from './xcp.ts';

/** What never reaches a log: credentials, transfer codes, signing requests, and people's data. */
const secret = new Set([
  'reg_username',
  'reg_password',
  'password',
  'auth_info',
  'domain_auth_info',
  'csr',
  'cookie',
  'contact_set',
  'approver_email',
]);

const longestText = 200;

/** A copy for logs, with secrets and personal data taken out at any depth. */
export function redact(attributes: XcpAttributes): XcpAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      secret.has(key) ? '[removed]' : value === undefined ? undefined : shortened(value),
    ]),
  );
}

function shortened(value: XcpInput): XcpInput {
  if (typeof value === 'string') {
    return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  }
  return Array.isArray(value) ? value.map(shortened) : redact(value);
}
