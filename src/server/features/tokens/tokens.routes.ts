import * as op from '#contracts/operations/tokens.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { TokensApi } from './tokens.service.ts';

export function tokenRoutes(tokens: TokensApi): Binding[] {
  return [
    bind(op.listTokens, (c) => tokens.list(c.scope)),
    bind(op.createToken, (c) => tokens.create(c.scope, c.body)),
    bind(op.revokeToken, async (c) => {
      await tokens.revoke(c.scope, c.params.id);
      return {};
    }),
  ];
}
