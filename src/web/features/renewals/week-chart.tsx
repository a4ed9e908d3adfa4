import { VisuallyHidden } from '@mantine/core';
import { shortDayText } from '#contracts/values/format.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import type { Week } from './weeks.ts';

/** Two bars a week: what renews by itself and what lapses. The same as a table for people who do not see it. */
export function WeekChart({ weeks }: { weeks: readonly Week[] }) {
  const groups = weeks.map(({ from, automatic, lapsing }) => ({
    key: from.toISOString(),
    label: shortDayText(from),
    first: { value: automatic, title: `${automatic} renew automatically` },
    second: { value: lapsing, title: `${lapsing} will lapse` },
  }));
  return (
    <>
      <BarChart groups={groups} />
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
                <th scope="row">{shortDayText(from)}</th>
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
