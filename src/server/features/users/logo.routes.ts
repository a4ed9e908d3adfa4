import * as op from '#contracts/operations/users.ts';
import { type Binding, bind, FileReply } from '#kernel/binding.ts';
import type { createLogo } from './logo.service.ts';

/** The operations of the organisation's logo. */
export function logoRoutes(logo: ReturnType<typeof createLogo>): Binding[] {
  return [
    bind(op.logoUploadUrl, (c) => logo.grant(c.scope, c.params.filename)),
    bind(op.finishLogo, (c) => logo.finish(c.scope, c.body.key)),
    bind(
      op.getLogo,
      async (c) => new FileReply(await logo.picture(c.params.name), 'image/png', c.params.name),
    ),
  ];
}
