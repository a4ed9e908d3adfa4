import type { Source } from '../source.ts';

/** What the registrar can do and nobody asks it for is a feature that was forgotten, or code for nothing. */
export const uncalledWithReason: Readonly<Record<string, string>> = {
  deleteZone: 'the conformance suite clears a zone with it; a domain of ours keeps its zone',
};

/** Functions of the registrar's interfaces, by their names. */
export function registrarFunctions(sources: readonly Source[]): string[] {
  const interfaces = /export interface Registrar\w+ \{([\s\S]*?)\n\}/g;
  return sources
    .filter(({ path }) => path.startsWith('server/ports/registrar/'))
    .flatMap(({ text }) => [...text.matchAll(interfaces)])
    .flatMap(([, body = '']) => [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, name = '']) => name));
}

/** Those that no feature calls, and exceptions that need none any more. */
export function uncalledFunctions(sources: readonly Source[]): string[] {
  const features = sources.filter(({ path }) => path.startsWith('server/features/'));
  const functions = registrarFunctions(sources);
  const uncalled = functions.filter((name) => !features.some(({ text }) => text.includes(`.${name}(`)));
  return [
    ...uncalled.filter((name) => !(name in uncalledWithReason)).map((name) => `${name}: no feature calls it`),
    ...Object.keys(uncalledWithReason)
      .filter((name) => !uncalled.includes(name))
      .map((name) => `${name}: is no exception any more`),
  ];
}
