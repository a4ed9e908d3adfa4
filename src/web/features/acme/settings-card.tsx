import { Text } from '@mantine/core';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { capitalised } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { Day } from '../../ui/date-time.tsx';
import { SettingRow, SettingRows } from '../../ui/setting-row.tsx';
import { endText, limitsText, usedText } from './texts.ts';

/** What an access may do, each thing with what it means. */
export function SettingsCard({ access }: { access: AcmeAccess }) {
  const lowered = JSON.stringify(access.mayBuy) !== JSON.stringify(access.buysNow);
  return (
    <Card flush title="What it may do">
      <SettingRows>
        <SettingRow
          title="Names"
          meaning={
            access.hosts === null
              ? 'All names of the customer whose DNS is managed here'
              : access.hosts.join(', ')
          }
        />
        <SettingRow title="Certificate" meaning={access.product} />
        <SettingRow title="May buy" meaning={capitalised(limitsText(access.mayBuy))}>
          {lowered && (
            <Text size="sm" c="var(--warn)">
              The customer’s own users may let machines buy {limitsText(access.buysNow)} at present.
            </Text>
          )}
        </SettingRow>
        <SettingRow title="Bought this month" meaning={usedText(access)} />
        <SettingRow
          title="Ends"
          meaning={access.expiresAt ? endText(access.expiresAt) : 'When it is revoked'}
        />
        <SettingRow
          title="Made by"
          meaning={
            <>
              {access.madeBy || 'Your provider'}, <Day at={access.createdAt} />
            </>
          }
        />
      </SettingRows>
    </Card>
  );
}
