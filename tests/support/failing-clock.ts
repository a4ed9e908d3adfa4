/** A clock that fails when it is asked for the `nth` time, and goes right before and after: one of many things then cannot be done. */
export function clockThatFails(nth: number, now: () => Date): { now: () => Date } {
  let asked = 0;
  return {
    now: () => {
      asked += 1;
      if (asked === nth) throw new RangeError('a date that is none');
      return now();
    },
  };
}
