/** A field of a form that two people may change: what it is called, what it says, and how one's value becomes another's. */
export interface Field<V> {
  label: string;
  text: (values: V) => string;
  take: (into: V, from: V) => V;
}

export interface Difference {
  label: string;
  theirs: string;
  mine: string;
}

/**
 * Two people changed the same thing. What this person changed against what they were first shown is theirs; everything else
 * is as the other one saved it. `clashes` are the fields that both changed, each to something else.
 */
export function merged<V>(
  fields: readonly Field<V>[],
  { base, mine, theirs }: { base: V; mine: V; theirs: V },
): { values: V; clashes: Field<V>[] } {
  const changed = fields.filter(({ text }) => text(mine) !== text(base));
  return {
    values: changed.reduce((values, field) => field.take(values, mine), theirs),
    clashes: changed.filter(({ text }) => text(theirs) !== text(base) && text(theirs) !== text(mine)),
  };
}

/** The two versions of the fields that both changed, mine as it stands by now. */
export function edited<V>(fields: readonly Field<V>[], theirs: V, mine: V): Difference[] {
  return fields.map(({ label, text }) => ({ label, theirs: text(theirs), mine: text(mine) }));
}

export function sameValues(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
