import { useState } from 'react';
import { type Density, densityKept, setDensity } from '../lib/density.ts';
import classes from '../ui/menu-entry.module.css';

const densities = { comfortable: 'Comfortable', compact: 'Compact' } as const;

/** How high the rows of tables are. */
export function DensityChoice() {
  const [density, choose] = useState(densityKept);
  return (
    <fieldset className={classes.group}>
      <legend className={classes.label}>Rows of tables</legend>
      <div className={classes.choice}>
        {(Object.keys(densities) as Density[]).map((value) => (
          <label key={value}>
            <input
              type="radio"
              name="density"
              value={value}
              checked={density === value}
              onChange={() => {
                setDensity(value);
                choose(value);
              }}
            />
            {densities[value]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
