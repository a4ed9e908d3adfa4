import { VisuallyHidden } from '@mantine/core';
import { day } from '../../ui/date-time.tsx';
import classes from './week-chart.module.css';
import type { Week } from './weeks.ts';

/** Two bars a week: what renews by itself and what lapses. The same as a table for people who do not see it. */
export function WeekChart({ weeks }: { weeks: readonly Week[] }) {
  const most = Math.max(1, ...weeks.flatMap(({ automatic, lapsing }) => [automatic, lapsing]));
  const share = (count: number) => ({ blockSize: `${(count / most) * 100}%` });
  return (
    <>
      <div className={classes.chart} aria-hidden>
        {weeks.map(({ from, automatic, lapsing }, index) => (
          <div key={from.toISOString()} className={classes.week}>
            <div className={classes.bars}>
              {automatic > 0 && (
                <span
                  className={classes.automatic}
                  style={share(automatic)}
                  title={`${automatic} renew automatically`}
                />
              )}
              {lapsing > 0 && (
                <span className={classes.lapsing} style={share(lapsing)} title={`${lapsing} will lapse`} />
              )}
            </div>
            <span className={classes.label}>{index % 2 === 0 && day(from)}</span>
          </div>
        ))}
      </div>
      <VisuallyHidden>
        <table>
          <caption>Domains that expire, by week</caption>
          <thead>
            <tr>
              <th scope="col">Week from</th>
              <th scope="col">Renew automatically</th>
              <th scope="col">Will lapse</th>
            </tr>
          </thead>
          <tbody>
            {weeks.map(({ from, automatic, lapsing }) => (
              <tr key={from.toISOString()}>
                <th scope="row">{day(from)}</th>
                <td>{automatic}</td>
                <td>{lapsing}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}
