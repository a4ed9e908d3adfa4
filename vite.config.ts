import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const web = fileURLToPath(new URL('./src/web/', import.meta.url));
const portal = `http://127.0.0.1:${process.env.PORTAL_PORT ?? '4300'}`;

/** The server puts a fresh one in its place on each reply (`src/server/http/web-app.ts`). */
const nonce = '__CSP_NONCE__';

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** What of our own is reached from there without a deferred import. Packages are cut by their folders. */
function reachedFrom(graph: ModuleGraph, ...roots: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const waiting = roots.map((path) => resolve(web, path));
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id) || id.includes('node_modules')) continue;
    reached.add(id);
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return reached;
}

/** What the app stands on, with the component library's provider: a visitor needs it too. */
const foundation =
  /node_modules[\\/](react|react-dom|scheduler|clsx|use-sync-external-store|@mantine[\\/](core[\\/]esm[\\/](core|utils)|hooks)|@tanstack[\\/](react-)?(router|query|store|history)(-core)?)[\\/]/;
/** Of these, what only members' parts use. A visitor's would lead to all of the members' file. */
const ofMembers =
  /@mantine[\\/](core[\\/]esm[\\/]utils[\\/](Floating|InlineInput)|hooks[\\/]esm[\\/]use-(focus-trap|focus-return|pagination|clipboard|click-outside|long-press|debounced-\w+|mutation-observer))[\\/]/;
/** A picture of the icons' library, by its name. */
const icon = /@tabler[\\/].*[\\/](Icon\w+)\.mjs$/;
/** The component library, which members need. */
const packages =
  /node_modules[\\/](@mantine|@tabler|@floating-ui|react-number-format|react-remove-scroll|zod|@tanstack[\\/](react-virtual|virtual-core))[\\/]/;
/** What weighs much and few visits need: the rules of telephone numbers, the names of countries, texts, payments. */
const heavy = /node_modules[\\/](libphonenumber-js|i18n-iso-countries|@stripe|@peculiar)[\\/]/;
const apart = /src[\\/]web[\\/](ui[\\/]markdown|lib[\\/](oidc|payments-script))/;
/** Loaded for everybody who is signed in, though not by the screen itself. */
const always = ['shell/member-parts.ts'];

/** Styles of the screens: small, and together one file. Visitors have those of the entry and of the landing page. */
const ownStyle = /src[\\/]web[\\/](?!screens[\\/]landing).*\.module\.css$/;
/** Of these, those that forms of contacts need. */
const heavyOfContacts = /node_modules[\\/](libphonenumber-js|i18n-iso-countries)[\\/]/;

interface Parts {
  /** Those of the start and of what visitors see, by their names: the library has one file that leads to all of them. */
  icons: ReadonlySet<string>;
  /** What runs before the app. */
  first: ReadonlySet<string>;
  start: ReadonlySet<string>;
  members: ReadonlySet<string>;
  contacts: ReadonlySet<string>;
}

let known: Parts | null = null;

/** Whose part each module of ours is. What two screens share is the members'. */
function partsOf(graph: ModuleGraph): Parts {
  if (known) return known;
  const times = new Map<string, number>();
  const count = (ids: Iterable<string>, by = 1) => {
    for (const id of ids) times.set(id, (times.get(id) ?? 0) + by);
  };
  for (const file of readdirSync(`${web}screens`)) {
    if (/^[a-z-]+\.tsx?$/.test(file)) count(reachedFrom(graph, `screens/${file}`));
  }
  count(reachedFrom(graph, ...always), 2);
  const first = reachedFrom(graph, 'first.ts');
  const start = reachedFrom(graph, 'main.tsx');
  for (const id of first) start.delete(id);
  // What is asked for by itself is a file of its own in any case.
  start.delete(`${web}main.tsx`);
  const isFirst = (id: string) => first.has(id) || start.has(id);
  const shared = [...times].flatMap(([id, by]) => (by > 1 && !apart.test(id) && !isFirst(id) ? [id] : []));
  const contacts = new Set(shared.filter((id) => leadsTo(graph, id, heavy)));
  // What visitors see further down must not lead them to what members need.
  const seen = [...start, ...reachedFrom(graph, 'screens/landing-more.tsx')];
  const sources = seen.filter((id) => id.startsWith(web));
  const icons = new Set(sources.flatMap((id) => readFileSync(id, 'utf8').match(/\bIcon[A-Z]\w*/g) ?? []));
  known = { icons, first, start, contacts, members: new Set(shared.filter((id) => !contacts.has(id))) };
  return known;
}

/** Whether it is one of the start's icons, or what all of them are made with. */
function isIconOfStart(graph: ModuleGraph, id: string): boolean {
  const name = icon.exec(id)?.[1];
  return name === undefined ? id.includes('@tabler') : partsOf(graph).icons.has(name);
}

function leadsTo(graph: ModuleGraph, from: string, target: RegExp): boolean {
  return [...reachedFrom(graph, from)].some((id) =>
    (graph.getModuleInfo(id)?.importedIds ?? []).some((imported) => target.test(imported)),
  );
}

/** The page names the app's files, though what comes before the app asks for them only when it has drawn something. */
const namedAhead: Plugin = {
  name: 'named-ahead',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { path, bundle = {} }) {
      if (path !== '/index.html') return [];
      const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
      const app = chunks.find(({ facadeModuleId }) => facadeModuleId === `${web}main.tsx`);
      if (!app) throw new Error('No file of the build is the app.');
      const first = chunks.find(({ facadeModuleId }) => facadeModuleId === `${web}index.html`);
      const named = new Set([first?.fileName, ...(first?.imports ?? [])]);
      const files = [app, ...chunks.filter(({ fileName }) => app.imports.includes(fileName))].filter(
        ({ fileName }) => !named.has(fileName),
      );
      const link = (file: string, attrs: Record<string, string>) => ({
        tag: 'link',
        attrs: { ...attrs, crossorigin: true, href: `/${file}`, nonce },
        injectTo: 'head' as const,
      });
      const ofMembers = chunks.find(({ facadeModuleId }) => facadeModuleId === `${web}${always[0]}`);
      if (!ofMembers) throw new Error('No file of the build is what members need.');
      const shared = new Set([...named, ...files.map(({ fileName }) => fileName)]);
      const memberFiles = [
        ofMembers,
        ...chunks.filter(({ fileName }) => ofMembers?.imports.includes(fileName)),
      ]
        .flatMap(({ fileName, viteMetadata }) => [fileName, ...(viteMetadata?.importedCss ?? [])])
        .filter((file) => !shared.has(file));
      return [
        ...files.flatMap(({ fileName, viteMetadata }) => [
          ...[...(viteMetadata?.importedCss ?? [])].map((file) =>
            link(file, { rel: 'preload', as: 'style', fetchpriority: 'low' }),
          ),
          link(fileName, { rel: 'modulepreload', fetchpriority: 'low' }),
        ]),
        // Only who was signed in here before needs them: what runs before the app names them then (`web/first.ts`).
        {
          tag: 'meta',
          attrs: { name: 'member-files', content: memberFiles.map((file) => `/${file}`).join(' ') },
          injectTo: 'head' as const,
        },
      ];
    },
  },
};

export default defineConfig({
  root: web,
  plugins: [react(), namedAhead],
  html: { cspNonce: nonce },
  server: { proxy: { '/api': portal, '/uploads': portal, '/files': portal } },
  build: {
    outDir: fileURLToPath(new URL('./dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // No inlined `data:` scripts or fonts: the content security policy lets none in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      input: { index: `${web}index.html`, silent: `${web}auth/silent-callback.html` },
      output: {
        // The page of the silent sign-in stays in caches for a while, and leads to this one in any version.
        entryFileNames: ({ name }) =>
          name === 'silent' ? 'auth/silent-callback.js' : 'assets/[name]-[hash].js',
        // One file for what starts, one for what members share, one for what leads to the rules of contacts: a screen is a
        // few requests, not a hundred.
        codeSplitting: {
          groups: [
            {
              debugName: 'first',
              name: (id, graph) => (partsOf(graph).first.has(id) ? 'first' : null),
              priority: 4,
            },
            {
              debugName: 'start',
              name: (id, graph) =>
                partsOf(graph).start.has(id) ||
                (foundation.test(id) && !ofMembers.test(id)) ||
                isIconOfStart(graph, id)
                  ? 'start'
                  : null,
              priority: 3,
            },
            {
              debugName: 'members',
              name: (id, graph) =>
                partsOf(graph).members.has(id) || packages.test(id) || ownStyle.test(id) ? 'members' : null,
              priority: 2,
            },
            {
              debugName: 'contacts',
              name: (id, graph) =>
                partsOf(graph).contacts.has(id) || heavyOfContacts.test(id) ? 'contacts' : null,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
