import { expect, test } from 'vitest';
import { createLogger } from '#kernel/logger.ts';
import { ann, certificate, input, transfer } from './testing/orders.ts';
import { no, ok, startScripted } from './testing/scripted-server.ts';

test('no secret and nothing personal reaches the logs, at any level', async () => {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'trace',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const key = 'canary-key-0001';
  const csr = '-----BEGIN CERTIFICATE REQUEST-----\ncanaryCsr0002\n-----END CERTIFICATE REQUEST-----';
  const server = await startScripted(
    ({ attributes }) =>
      attributes.type === 'domain_auth_info' ? ok({ domain_auth_info: 'canary-code-0003' }) : no('440', 'no'),
    { logger, key },
  );
  const contacts = { owner: { ...ann, lastName: 'Canary' }, admin: ann, billing: ann };
  await server.registrar.register({
    ...input,
    contacts,
    credentials: { username: 'canary0004', password: 'canary-word-0005' },
  });
  await server.registrar.transferIn({ ...transfer, contacts, authCode: 'canary-code-0006' });
  await server.registrar.orderCertificate({ ...certificate, csr, approverEmail: 'canary@example.com' });
  await server.registrar.setContacts('a.com', { owner: contacts.owner });
  expect(await server.registrar.authCode('a.com')).toBe('canary-code-0003');
  await server.close();
  const said = lines.join('');
  expect(said).toContain('"registrar":"SW_REGISTER DOMAIN"');
  expect(said).toContain('new-7781.com');
  expect(said).not.toMatch(/canary/i);
  // Our own account's want of funds is for the operator.
  expect(said).toContain('"alert":"registrar"');
});
