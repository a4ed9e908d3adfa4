import { QueryClient, useQueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { csvLimits } from '#contracts/values/customer-csv.ts';
import { asked, id, type Reading, refused, testFiles, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import { stopFollowing } from '../../lib/followed-work.ts';
import {
  importQuery,
  noticeBeside,
  useApplySuggestions,
  useCheckFile,
  useDiscardImport,
  useDropMapping,
  useKeepMapping,
  useSaveFile,
  useSaveRejects,
  useStartImport,
  useUploadCsv,
} from './import-api.ts';

const list = ['customer-imports', 'list'];

test('the list of files that wait is read again when one of them is started', async () => {
  try {
    const started = await readAgainAfter(
      () => useStartImport('i'),
      [list],
      (start) => start.mutateAsync({ mode: 'all', judged: 1 }),
    );
    expect(started).toEqual([list]);
  } finally {
    stopFollowing('i');
  }
});

const one = ['customer-imports', 'one', 'i'];
const rows = ['customer-imports', 'rows', 'i'];
const mappings = ['customer-imports', 'mappings'];
const shown = [one, rows, list, mappings];

function useActs() {
  const [apply, discard, start] = [useApplySuggestions('i'), useDiscardImport('i'), useStartImport('i')];
  const [check, keep, drop] = [useCheckFile(), useKeepMapping(), useDropMapping()];
  return { apply, check, discard, drop, keep, start, client: useQueryClient() };
}
type Acts = ReturnType<typeof useActs>;

test.each<[string, number[] | undefined]>([
  ['of one row', [2]],
  ['of all rows', undefined],
])(
  'after suggestions were applied the rows are read again, and the figures are those of the answer: %s',
  async (_what, chosen) => {
    const found = { importId: 'i', rows: { new: 1, changed: 0, same: 0, faulty: 0 }, suggested: 0 };
    const apply = async ({ apply, client }: Acts) => {
      await apply.mutateAsync(chosen);
      expect(client.getQueryData(one)).toEqual(found);
    };
    expect(await readAgainAfter(useActs, shown, apply, () => Response.json({ data: found }))).toEqual([rows]);
  },
);

test.each<[string, (acts: Acts) => Promise<unknown>, string[][]]>([
  ['a file was checked the list of those that wait', ({ check }) => check.mutateAsync({ key: 'k' }), [list]],
  ['one was discarded the list and the file', ({ discard }) => discard.mutateAsync(), [one, list]],
  [
    'a mapping of columns was kept the mappings',
    ({ keep }) => keep.mutateAsync({ name: 'CRM', mapping: {} as never }),
    [mappings],
  ],
  ['one was removed the mappings', ({ drop }) => drop.mutateAsync('m'), [mappings]],
])('after %s are read again', async (_what, act, read) => {
  expect(await readAgainAfter(useActs, shown, act)).toEqual(read);
});

const readAgainAfterRefusal = (act: (acts: Acts) => Promise<unknown>) =>
  readAgainAfter(
    useActs,
    shown,
    (acts) => act(acts).catch(() => undefined),
    () => Response.json({ code: 'conflict', message: 'No' }, { status: 409 }),
  );

test('a file that could not be started is read again, with its rows: it may have been judged again', async () => {
  const start = ({ start }: Acts) => start.mutateAsync({ mode: 'good', judged: 1 });
  expect(await readAgainAfterRefusal(start)).toEqual([one, rows, list]);
});

test('so is one that could not be mended or discarded: others may be importing it', async () => {
  expect(await readAgainAfterRefusal(({ apply }) => apply.mutateAsync(undefined))).toEqual([one, rows, list]);
  expect(await readAgainAfterRefusal(({ discard }) => discard.mutateAsync())).toEqual([one, rows, list]);
});

test('why a file was not started is said once, although the file that is read again says it too', () => {
  const again = 'This file was checked again with your permissions.';
  expect(noticeBeside(again, new Error(again))).toBeNull();
  expect(noticeBeside(again, new Error('No answer came.'))).toBe(again);
  expect(noticeBeside(again, null)).toBe(again);
  expect(noticeBeside('', null)).toBeNull();
});

test.each([
  ['importing', 'done', true],
  ['importing', 'importing', false],
  ['done', 'done', false],
])(
  'of an import that was %s and is %s the list and the customers are read again: %s',
  async (was, is, again) => {
    vi.stubGlobal('fetch', async () => Response.json({ data: { state: is } }));
    setTokenSource({ token: async () => 'token', renew: async () => null });
    try {
      const client = new QueryClient();
      const shown = [list, ['customers', 'list'], ['customer-imports', 'rows', 'i']];
      for (const key of shown) client.setQueryData(key, []);
      client.setQueryData(['customer-imports', 'one', 'i'], { state: was });
      await client.fetchQuery(importQuery(client, 'i'));
      expect(shown.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([again, again, again]);
    } finally {
      vi.unstubAllGlobals();
      setTokenSource({ token: async () => null, renew: async () => null });
    }
  },
);

function useWrites() {
  const [apply, discard, start] = [useApplySuggestions(id), useDiscardImport(id), useStartImport(id)];
  return { apply, discard, start, check: useCheckFile(), keep: useKeepMapping(), drop: useDropMapping() };
}

const mapping = { columns: { organization: 'Firm' }, values: { country: 'NO' } } as never;
const file = { key: 'uploads/1', fileName: 'a.csv', charset: 'windows-1252', mapping } as const;
const waiting: Reading[] = ['imports', 'overview', 'attention', 'attentionCounts'];
const lookedAt: Reading[] = ['import', 'importRows', 'imports'];

afterEach(() => stopFollowing(id));
testWrites(useWrites, [
  [
    'a file to check',
    ({ check }) => check.mutateAsync(file),
    ['POST /customer/upload-csv-finish', { ...file, preview: true }],
    waiting,
    [],
  ],
  [
    'a mapping',
    ({ keep }) => keep.mutateAsync({ name: 'CRM', mapping }),
    ['POST /customer/import/mapping', { name: 'CRM', mapping }],
    ['mappings'],
    ['mappings'],
  ],
  [
    'a mapping that goes',
    ({ drop }) => drop.mutateAsync('m'),
    ['DELETE /customer/import/mapping/m'],
    ['mappings'],
    ['mappings'],
  ],
  [
    'a suggestion',
    ({ apply }) => apply.mutateAsync([2, 5]),
    [`POST /customer/import/${id}/suggestions`, { rows: [2, 5] }],
    ['importRows'],
    lookedAt,
  ],
  [
    'all suggestions',
    ({ apply }) => apply.mutateAsync(undefined),
    [`POST /customer/import/${id}/suggestions`, {}],
    ['importRows'],
    lookedAt,
  ],
  [
    'an import',
    ({ start }) => start.mutateAsync({ mode: 'good', judged: 3 }),
    [`POST /customer/import/${id}/start`, { mode: 'good', judged: 3 }],
    waiting,
    lookedAt,
  ],
  [
    'a file that is discarded',
    ({ discard }) => discard.mutateAsync(),
    [`DELETE /customer/import/${id}`],
    [...waiting, 'import'],
    lookedAt,
  ],
]);

testFiles(
  () => ({ rejects: useSaveRejects(id), sample: useSaveFile('sample'), all: useSaveFile('export') }),
  [
    [
      'what was refused',
      ({ rejects }) => rejects.mutateAsync(undefined),
      `GET /customer/import/${id}/rejects`,
    ],
    [
      'the same with what is suggested',
      ({ rejects }) => rejects.mutateAsync('apply'),
      `GET /customer/import/${id}/rejects?suggestions=apply`,
    ],
    ['the sample', ({ sample }) => sample.mutateAsync(), 'GET /customer/csv/sample'],
    ['the file of all customers', ({ all }) => all.mutateAsync(), 'GET /customer/csv/export'],
  ],
);

class Upload {
  static put: unknown[] = [];
  static share = 0;
  upload: { onprogress?: (event: object) => void } = {};
  status = 200;
  statusText = '';
  onload = () => undefined;
  #to: string[] = [];
  open(...to: string[]) {
    this.#to = to;
  }
  setRequestHeader(...header: string[]) {
    this.#to.push(...header);
  }
  send(sent: File) {
    Upload.put.push([...this.#to, sent.name]);
    this.upload.onprogress?.({ lengthComputable: true, loaded: 1, total: 2 });
    this.onload();
  }
}

const look = (charsets: string[], specified: boolean) => ({ charsets, specified });
const uploads = [
  ['CUSTOMER_FILE.csv', look([], true), true],
  ['of a CRM.csv', look([], false), false],
  ['of an old computer.csv', look(['windows-1252'], true), false],
] as const;
test.each(uploads)(
  'a file is sent, looked at, and checked unless something is asked first: %s',
  async (...row) => {
    const [name, found, isChecked] = row;
    Upload.put = [];
    const answers = [
      { signedUrl: 'https://files.test/1', keyName: 'uploads/1' },
      found,
      { importId: id, state: 'ready' },
    ];
    const shares: number[] = [];
    const { sent, again, put } = await asked(
      () => useUploadCsv((share) => shares.push(share)),
      async (upload) => {
        vi.stubGlobal('XMLHttpRequest', Upload);
        await upload.mutateAsync(new File(['x'], name));
      },
      () => Response.json({ data: answers.shift() }),
    );
    expect(Upload.put).toEqual([['PUT', 'https://files.test/1', 'content-type', 'text/csv', name]]);
    expect(shares).toEqual([0.5]);
    const finish = { key: 'uploads/1', fileName: name, preview: true };
    expect(sent).toEqual([
      ['GET /customer/upload-csv-url'],
      ['POST /customer/import/look', { key: 'uploads/1' }],
      ...(isChecked ? [['POST /customer/upload-csv-finish', finish]] : []),
    ]);
    expect(again.sort()).toEqual(isChecked ? [...waiting].sort() : []);
    expect(put).toEqual(isChecked ? ['import'] : []);
  },
);

test('of a long name the end is kept, which has its kind', async () => {
  const answers = [
    { signedUrl: 'https://files.test/1', keyName: 'uploads/1' },
    look([], true),
    { importId: id, state: 'ready' },
  ];
  const { sent } = await asked(
    () => useUploadCsv(() => undefined),
    async (upload) => {
      vi.stubGlobal('XMLHttpRequest', Upload);
      await upload.mutateAsync(new File(['x'], `${'x'.repeat(300)}.csv`));
    },
    () => Response.json({ data: answers.shift() }),
  );
  const fileName = `${'x'.repeat(251)}.csv`;
  expect(sent.at(-1)).toEqual([
    'POST /customer/upload-csv-finish',
    { key: 'uploads/1', fileName, preview: true },
  ]);
});

test('of a file of exactly five megabytes it is asked where to send it', async () => {
  const upload = (act: ReturnType<typeof useUploadCsv>) =>
    act.mutateAsync(Object.defineProperty(new File([], 'a.csv'), 'size', { value: csvLimits.bytes }));
  const { sent } = await asked(() => useUploadCsv(() => undefined), upload, refused(500, 'internal'));
  expect(sent).toEqual([['GET /customer/upload-csv-url']]);
});

test.each([0, csvLimits.bytes + 1])('of a file of %i bytes nothing is sent', async (size) => {
  const upload = (act: ReturnType<typeof useUploadCsv>) =>
    act.mutateAsync(Object.defineProperty(new File([], 'a.csv'), 'size', { value: size }));
  const { sent } = await asked(() => useUploadCsv(() => undefined), upload, refused(500, 'internal'));
  expect(sent).toEqual([]);
});
