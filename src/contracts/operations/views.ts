import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import { oneLine } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';

/** The screens whose lists can be kept under a name. */
export const viewScreens = ['domains', 'customers', 'orders', 'certificates', 'audit'] as const;
export type ViewScreen = (typeof viewScreens)[number];

const screen = z.enum(viewScreens);
const text = z.string();

export const savedView = z.object({
  id: z.uuid(),
  screen,
  name: text,
  /** The query string of the address. */
  query: text,
  shared: z.boolean(),
  /** The caller made it. */
  own: z.boolean(),
});
export type SavedView = z.output<typeof savedView>;

export const listViews = defineOperation({
  id: 'views.list',
  method: 'GET',
  path: '/view',
  summary: 'List the caller’s own saved views and those that colleagues share, by name',
  access: 'views.use',
  query: z.object({ screen: screen.optional() }),
  reply: z.array(savedView),
});

const name = oneLine(mostCharacters.name).min(1, 'Please name the view');

export const saveView = defineOperation({
  id: 'views.save',
  method: 'POST',
  path: '/view',
  summary: 'Save the filters, order and search of a list under a name',
  access: 'views.use',
  audit: 'views.save',
  body: z.object({
    screen,
    name,
    query: z
      .string()
      .max(500, 'This view has too many filters to be kept')
      .regex(/^[\w.~%+=&:,@*-]*$/, 'This is not the query of an address'),
    shared: z.boolean(),
  }),
  reply: savedView,
  errors: ['validation_failed', 'already_exists', 'unprocessable'],
});

export const renameView = defineOperation({
  id: 'views.rename',
  method: 'PATCH',
  path: '/view/:id',
  summary: 'Give a saved view another name: your own, or a shared one if you are a manager',
  access: 'views.use',
  audit: 'views.rename',
  params: idParams,
  body: z.object({
    name,
    /** The name that was read. It is another by now: 409 `conflict` with the view, and nothing is replaced unseen. */
    shown: oneLine(mostCharacters.name),
  }),
  reply: savedView,
  errors: ['validation_failed', 'not_found', 'already_exists', 'conflict'],
});

export const deleteView = defineOperation({
  id: 'views.delete',
  method: 'DELETE',
  path: '/view/:id',
  summary: 'Remove a saved view: your own, or a shared one if you are a manager',
  access: 'views.use',
  audit: 'views.delete',
  params: idParams,
  reply: noData,
  errors: ['not_found'],
});
