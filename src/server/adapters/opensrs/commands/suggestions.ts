import { UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { Registrar, Suggestion } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { cents } from '../fields.ts';
import type { Gateway } from '../gateway.ts';
import { flag, map, maps, text, type XcpAttributes, type XcpMap } from '../xcp.ts';

/** Premium names of resellers are left out: they are bought with another kind of order than the portal places. */
const services = ['lookup', 'suggestion'];
/** How long the registrar may search before it answers with what it has, and how often it is asked for the rest. */
const searchSeconds = '4';
const mostRounds = 4;

/** Names like a text (§6). A search that is not finished is continued by its key. */
export function suggestionCommands(gateway: Gateway): Pick<Registrar, 'suggest'> {
  return {
    async suggest(searchText, { suffixes, maximum }) {
      const found = new Map<string, Suggestion>();
      let answered = false;
      let request: XcpAttributes = {
        searchstring: searchText,
        services,
        tlds: suffixes.map((suffix) => `.${suffix}`),
        maximum: String(maximum),
        max_wait_time: searchSeconds,
      };
      for (let round = 1; round <= mostRounds; round++) {
        const reply = await gateway.read(commands.suggest, request);
        const sections = services.map((service) => map(reply.attributes, service));
        // A section that is missing found nothing; all of them failing is no answer.
        answered ||= !sections.every((section) => section && failed(section));
        for (const section of sections) {
          for (const item of maps(section, 'items')) add(found, item, suffixes);
        }
        const key = text(reply.top, 'search_key');
        const finished =
          reply.top.is_search_completed === undefined || flag(reply.top, 'is_search_completed');
        if (finished || !key) break;
        request = { search_key: key, max_wait_time: searchSeconds };
      }
      if (!answered) throw new UpstreamUnavailable('registrar: the suggestion services do not answer');
      return [...found.values()].slice(0, maximum);
    },
  };
}

function failed(section: XcpMap): boolean {
  return section.is_success !== undefined && !flag(section, 'is_success');
}

function add(found: Map<string, Suggestion>, item: XcpMap, suffixes: readonly string[]): void {
  const domain = text(item, 'domain')?.toLowerCase();
  const status = text(item, 'status')?.toLowerCase();
  // `undetermined` and `in_progress` say nothing.
  if (!domain || (status !== 'available' && status !== 'taken')) return;
  if (!suffixes.some((suffix) => domain.endsWith(`.${suffix}`))) return;
  found.set(domain, { domain, status, premiumCents: cents(item, 'price') });
}
