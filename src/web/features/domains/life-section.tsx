import { Badge, Button, Group, Text } from '@mantine/core';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { daysUntil, renewSoonDays } from '#contracts/values/domain-life.ts';
import { DateTime } from '../../ui/date-time.tsx';
import classes from './life-section.module.css';
import { Section } from './section.tsx';

type Station = DomainDetails['stations'][number];

const stationTexts: Record<Station['kind'], string> = {
  registered: 'Registered',
  transferred: 'Transferred here',
  renewed: 'Last renewed',
  'transfer-lock-ends': 'Can move to another registrar from',
  expires: 'Expires',
  'grace-ends': 'Last day to renew at the normal price',
  'redemption-ends': 'Last day it can be restored, for a fee',
  deleted: 'Deleted for good, free for anyone',
};

/** Validity, and the stations of the domain's life when nobody does anything. */
export function LifeSection(props: {
  details: DomainDetails;
  renewal: { inCart: boolean; onRenew: () => void } | null;
}) {
  const { details, renewal } = props;
  const now = new Date();
  const { registry_createdate: from, registry_expiredate: to } = details;
  return (
    <Section
      title="Validity"
      action={
        renewal && (
          <Button size="xs" variant="light" disabled={renewal.inCart} onClick={renewal.onRenew}>
            {renewal.inCart ? 'Renewal in cart' : 'Renew'}
          </Button>
        )
      }
    >
      <Group gap="sm">
        <Text size="sm">
          {from ? <DateTime at={from} /> : 'Unknown'} to {to ? <DateTime at={to} /> : 'Pending Transfer'}
        </Text>
        {to && <DaysLeft to={to} now={now} />}
      </Group>
      {details.stations.length > 0 && (
        <ol className={classes.line} aria-label="Timeline">
          {details.stations.map((station) => (
            <li key={station.kind} data-past={new Date(station.at) <= now || undefined}>
              <span>{stationTexts[station.kind]}</span>
              <DateTime at={station.at} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

/** P1 §2, decisions no. 15: red below 60 days. */
export function DaysLeft({ to, now }: { to: string; now: Date }) {
  const days = daysUntil(new Date(to), now);
  const text =
    days < 0
      ? `Expired ${plural(-days)} ago`
      : days === 0
        ? 'Expires within a day'
        : `Expires in ${plural(days)}`;
  return (
    <Badge color={days < renewSoonDays ? 'red' : 'gray'} variant="light">
      {text}
    </Badge>
  );
}

function plural(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
