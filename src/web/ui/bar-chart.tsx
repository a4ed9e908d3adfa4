import classes from './bar-chart.module.css';

export interface BarGroup {
  key: string;
  label: string;
  /** How much, and what it is, on hover. */
  first: { value: number; title: string };
  second: { value: number; title: string };
}

/**
 * Two bars for each week or month. People who do not see it need the same as a table beside it. `quiet`: the second
 * bar warns of nothing.
 */
export function BarChart({ groups, quiet }: { groups: readonly BarGroup[]; quiet?: boolean }) {
  const most = Math.max(1, ...groups.flatMap(({ first, second }) => [first.value, second.value]));
  return (
    <div className={classes.chart} aria-hidden>
      {groups.map(({ key, label, first, second }, index) => (
        <div key={key} className={classes.group}>
          <div className={classes.bars}>
            {first.value > 0 && (
              <span className={classes.first} style={share(first.value, most)} title={first.title} />
            )}
            {second.value > 0 && (
              <span
                className={classes.second}
                data-quiet={quiet || undefined}
                style={share(second.value, most)}
                title={second.title}
              />
            )}
          </div>
          <span className={classes.label}>{index % 2 === 0 && label}</span>
        </div>
      ))}
    </div>
  );
}

const share = (value: number, most: number) => ({ blockSize: `${(value / most) * 100}%` });
