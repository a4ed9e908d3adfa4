import { moneyText, shortDayText } from '#contracts/values/format.ts';
import classes from './runway.module.css';
import type { RunwayPoint } from './runway.ts';

const width = 304;
const height = 80;

/** How the balance goes down by what renews automatically; its words say the same. */
export function Runway({ points }: { points: readonly RunwayPoint[] }) {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const most = Math.max(...points.map(({ cents }) => cents), 1);
  const least = Math.min(0, ...points.map(({ cents }) => cents));
  const span = last.at.getTime() - first.at.getTime() || 1;
  const x = (at: Date) => (((at.getTime() - first.at.getTime()) / span) * width).toFixed(1);
  const y = (cents: number) => (((most - cents) / (most - least)) * (height - 4) + 2).toFixed(1);
  const line = points.map(({ at, cents }, index) =>
    index === 0 ? `M${x(at)} ${y(cents)}` : `H${x(at)}V${y(cents)}`,
  );
  const middle = new Date((first.at.getTime() + last.at.getTime()) / 2);
  return (
    <>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className={classes.runway}
        preserveAspectRatio="none"
        role="img"
        aria-label={`From ${moneyText(first.cents)} on ${shortDayText(first.at)} to ${moneyText(last.cents)} on ${shortDayText(last.at)}, after the automatic renewals`}
      >
        <path d={`${line.join('')}V${y(least)}H0Z`} className={classes.area} />
        <path d={line.join('')} className={classes.line} vectorEffect="non-scaling-stroke" />
        <path d={`M0 ${y(0)}H${width}`} className={classes.zero} vectorEffect="non-scaling-stroke" />
      </svg>
      <div className={classes.axis} aria-hidden>
        <span>{shortDayText(first.at)}</span>
        <span>{shortDayText(middle)}</span>
        <span>{shortDayText(last.at)}</span>
      </div>
    </>
  );
}
