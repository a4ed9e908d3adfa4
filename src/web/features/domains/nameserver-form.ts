import { nameserverLimits, nameserverList } from '#contracts/values/nameservers.ts';

/** One input: its own number, so that removing one does not move the others' texts. */
export interface NameserverInput {
  id: number;
  name: string;
}

/** The inputs to start from: what is set, and never less than two. */
export function inputsOf(names: readonly string[]): NameserverInput[] {
  const filled = [...names, ...Array<string>(nameserverLimits.least).fill('')];
  return filled
    .slice(0, Math.max(names.length, nameserverLimits.least))
    .map((name, index) => ({ id: index, name }));
}

/** One more, empty. Its number is no other's, whichever were removed before: what is typed and removed goes by it. */
export function withAnother(inputs: readonly NameserverInput[]): NameserverInput[] {
  const id = 1 + Math.max(-1, ...inputs.map((input) => input.id));
  return [...inputs, { id, name: '' }];
}

/** The same inputs with other words in one of them. */
export function withName(inputs: readonly NameserverInput[], id: number, name: string): NameserverInput[] {
  return inputs.map((input) => (input.id === id ? { id, name } : input));
}

export function without(inputs: readonly NameserverInput[], id: number): NameserverInput[] {
  return inputs.filter((input) => input.id !== id);
}

/** The contract's complaints by input; '' is about all of them together. */
export function problemsOf(inputs: readonly NameserverInput[]): Map<number | '', string> {
  const problems = new Map<number | '', string>();
  const seen = new Set<string>();
  for (const { id, name } of inputs) {
    const tidy = tidied(name);
    if (tidy === '') problems.set(id, 'This field is required');
    else if (seen.has(tidy)) problems.set(id, 'A nameserver is listed twice');
    seen.add(tidy);
  }
  const parsed = nameserverList.safeParse(inputs.map(({ name }) => tidied(name)));
  for (const issue of parsed.error?.issues ?? []) {
    const input = typeof issue.path[0] === 'number' ? inputs[issue.path[0]] : undefined;
    const key = input?.id ?? '';
    if (key === '' && problems.size > 0) continue;
    if (!problems.has(key)) problems.set(key, issue.message);
  }
  return problems;
}

/** Pasted names come with blanks, capitals and the root's dot. */
export function tidied(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '');
}
