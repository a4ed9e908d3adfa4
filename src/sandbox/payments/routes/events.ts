import { invalidParam, noSuch } from '../errors.ts';
import type { EventLog } from '../events.ts';
import { createdRange, PAGE_PARAMS, page, pageLimit, pathParam, type Route } from './route.ts';

/** The provider keeps events for 30 days (docs.stripe.com/api/events, checked 2026-11-21); the sandbox keeps all. */
export function eventRoutes(log: EventLog): Route[] {
  return [
    {
      method: 'GET',
      pattern: '/v1/events',
      handle: ({ account, params }) => {
        params.only([...PAGE_PARAMS, 'type', 'types', 'delivery_success']);
        const type = params.string('type');
        const types = params.strings('types');
        if (type && types) throw invalidParam('types', 'You may pass either `type` or `types`, not both.');
        const found = log.list({
          thin: false,
          account,
          types: type ? [type] : types,
          created: createdRange(params),
          objectId: null,
          startingAfter: params.string('starting_after'),
          endingBefore: params.string('ending_before'),
          limit: pageLimit(params),
        });
        return page('/v1/events', {
          data: found.data.map((event) => JSON.parse(event.json) as unknown),
          hasMore: found.hasMore,
        });
      },
    },
    {
      method: 'GET',
      pattern: '/v1/events/:id',
      handle: (call) => {
        const event = log.find(pathParam(call, 'id'), false);
        if (event?.account !== call.account) throw noSuch('event', pathParam(call, 'id'));
        return JSON.parse(event.json);
      },
    },
    {
      method: 'GET',
      pattern: '/v2/core/events',
      handle: ({ params }) => {
        params.only(['object_id', 'limit', 'page', 'types', 'created']);
        const limit = pageLimit(params);
        const after = params.string('page');
        const found = log.list({
          thin: true,
          account: null,
          types: params.strings('types'),
          created: {},
          objectId: params.string('object_id'),
          startingAfter: after,
          endingBefore: null,
          limit,
        });
        const last = found.data.at(-1);
        const query = new URLSearchParams({ limit: String(limit), page: last?.id ?? '' });
        const objectId = params.string('object_id');
        if (objectId) query.set('object_id', objectId);
        return {
          data: found.data.map((event) => JSON.parse(event.json) as unknown),
          next_page_url: found.hasMore ? `/v2/core/events?${query}` : null,
          previous_page_url: null,
        };
      },
    },
    {
      method: 'GET',
      pattern: '/v2/core/events/:id',
      handle: (call) => {
        const event = log.find(pathParam(call, 'id'), true);
        if (!event) throw noSuch('event', pathParam(call, 'id'));
        return JSON.parse(event.json);
      },
    },
  ];
}
