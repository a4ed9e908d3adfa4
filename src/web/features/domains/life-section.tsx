import type { CSSProperties } from 'react';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { daysUntil, renewSoonDays } from '#contracts/values/domain-life.ts';
import { shortDayText } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Day } from '../../ui/date-time.tsx';
import { expiryText } from './expiry-text.ts';
import { todayShare } from './life-line.ts';
import classes from './life-section.module.css';

type Station = DomainDetails['stations'][number];

const stationTexts: Record<Station['kind'], string> = {
  registered: 'Registered',
  transferred: 'Transferred here',
  renewed: 'Last renewed',
  'transfer-lock-ends': 'Can be transferred from',
  expires: 'Expires',
  'grace-ends': 'Normal price until',
  'redemption-ends': 'Can be restored until',
  deleted: 'Open to anyone from',
};

/** Validity, and the stations of the domain's life when nobody does anything. */
export function LifeSection({ details }: { details: DomainDetails }) {
  const now = new Date();
  const { registry_createdate: from, registry_expiredate: to, stations } = details;
  return (
    <Card
      flush
      title="Life of this domain"
      beside={to && <DaysLeft to={to} now={now} />}
      end={
        <span>
          {from ? <Day at={from} /> : 'Unknown'} to {to ? <Day at={to} /> : 'Pending Transfer'}
        </span>
      }
    >
      {stations.length > 0 && <LifeLine stations={stations} now={now} />}
    </Card>
  );
}

function LifeLine({ stations, now }: { stations: readonly Station[]; now: Date }) {
  const share = todayShare(stations, now);
  return (
    <div
      className={classes.life}
      style={{ '--stations': stations.length, '--today': share } as CSSProperties}
    >
      <span className={classes.today} aria-hidden>
        Today
      </span>
      <ol className={classes.line} aria-label="Timeline">
        {stations.map((station) => (
          <li
            key={station.kind}
            data-kind={station.kind}
            data-past={new Date(station.at) <= now || undefined}
            title={`${stationTexts[station.kind]} ${shortDayText(new Date(station.at))}`}
          >
            <b>{stationTexts[station.kind]}</b> <Day at={station.at} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** P1 §2, decisions no. 15: red below 60 days. */
export function DaysLeft({ to, now }: { to: string; now: Date }) {
  const days = daysUntil(new Date(to), now);
  return <Chip tone={days < renewSoonDays ? 'bad' : 'plain'}>{expiryText(days)}</Chip>;
}
