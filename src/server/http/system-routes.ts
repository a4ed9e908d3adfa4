import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#contracts/errors.ts';
import { getConfig, getDocument, type PublicConfig } from '#contracts/operations/system.ts';
import { type Binding, bind } from '#kernel/binding.ts';

/** What the web app asks before anyone signs in. `contentDir` holds the operator's texts as Markdown. */
export function systemRoutes(config: () => Promise<PublicConfig>, contentDir: string): Binding[] {
  return [
    bind(getConfig, config),
    // The contract names the documents: no other file can be asked for.
    bind(getDocument, async ({ params }) => {
      try {
        return { markdown: await readFile(join(contentDir, `${params.name}.md`), 'utf8') };
      } catch (error) {
        throw new AppError('not_found', { cause: error });
      }
    }),
  ];
}
