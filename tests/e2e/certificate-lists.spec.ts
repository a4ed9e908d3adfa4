import { expect, test } from '@playwright/test';
import type { CertificateRow } from '#contracts/operations/certificates.ts';
import { orderCertificate, status } from './support/certificates.ts';
import { startJob } from './support/database.ts';
import { editZone, managedDomain } from './support/domains.ts';
import { inspect } from './support/inspect.ts';
import { api, enter, openMsp, topUp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

test('the lists: what expires, what is flagged and what to do, what is on its way, and the state at its domain', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 100);
  const [late, open] = [freshName('soon'), freshName('open')];
  // What nobody can prove by itself: a person is told what to do.
  await orderCertificate(msp, open, { dvAuthMethod: 'File' });
  const lateId = await orderCertificate(msp, late, { dvAuthMethod: 'File' });
  await control('registrar', 'certificates/dates', { orderId: lateId, expiresInDays: 5 });
  const proof = await managedDomain(msp);
  const proven = await orderCertificate(msp, proof, { dvAuthMethod: 'DNS' });
  await enter(page, msp, `/SSL/${proven}`);
  await expect(status(page, 'completed')).toBeVisible();
  // Its record goes, and the portal looks.
  const zone = await api<{ records: { TXT: object[] } }>(msp.token, 'GET', `${proof}/zone`);
  await editZone(msp, proof, [{ type: 'TXT', action: 'remove', ...zone.records.TXT[0] }]);
  const { organizationId } = await api<{ organizationId: string }>(msp.token, 'GET', 'user');
  const { certificateId } = await api<{ certificateId: string }>(msp.token, 'GET', `ssl/order/${proven}`);
  await startJob('certificates.sync', { organisationId: organizationId, certificateId });
  await api(msp.token, 'GET', `ssl/order/${lateId}`);
  const flagged = async () => {
    const found = await api<CertificateRow[]>(msp.token, 'GET', 'ssl');
    return found
      .filter(({ flags }) =>
        flags.some(({ text }) => /^This certificate expires|record .* is gone/.test(text)),
      )
      .map(({ address }) => address)
      .toSorted();
  };
  await expect.poll(flagged).toEqual([late, proof].toSorted());

  await page.goto('/certificates');
  const row = (domain: string) => page.getByRole('row', { name: new RegExp(domain.split('.')[0] ?? '') });
  await expect(row(open)).toContainText('Awaiting approval');
  await expect(row(late).getByText(/^[45] days left$/)).toBeVisible();
  await expect(row(late)).toContainText(
    'Reissue it: this orders the next certificate within the term, free of charge.',
  );
  await expect(row(proof)).toContainText('Restore the record, or move the DNS to us.');
  await inspect(page, 'certificates');
  const bands = page.getByRole('group', { name: 'Bands' });
  await expect(bands.getByRole('button')).toHaveText(['Needs attention2', 'On their way1']);
  await bands.getByRole('button', { name: /^On their way/ }).click();
  await expect(page).toHaveURL(/kind=open/);
  await expect(row(late)).toHaveCount(0);
  await expect(row(open)).toBeVisible();
  await bands.getByRole('button', { name: /^Needs attention/ }).click();
  await row(proof).getByRole('link').first().click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Restore the record, or move the DNS to us.' }),
  ).toBeVisible();
  await page.goto('/domain/list');
  await expect(page.getByRole('link', { name: 'Status: completed' })).toBeVisible();
});
