import { createHash } from 'node:crypto';
import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { Accounts, User } from './accounts.ts';
import type { Artifacts } from './database.ts';
import type { SigningKey } from './keys.ts';
import {
  ABSOLUTE_SECONDS,
  ACCESS_TOKEN_SECONDS,
  ID_TOKEN_SECONDS,
  IDLE_SECONDS,
  type IdentityClient,
  type Realm,
  SCOPES,
} from './options.ts';
import { errorPage, signedOutPage, signOutPage } from './pages.ts';

export interface ProviderParts {
  realm: Realm;
  clients: IdentityClient[];
  accounts: Accounts;
  artifacts: Artifacts;
  keys: SigningKey[];
  cookieSecret: string;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The certified library with this provider's storage, pages and lifetimes. */
export function createProvider(parts: ProviderParts): Provider {
  const provider = new Provider(parts.realm.issuer, configuration(parts));
  provider.proxy = parts.realm.secure;
  provider.on('server_error', (_ctx, error) => console.error('identity provider failed', error));
  return provider;
}

/** A resource has to be an absolute address (RFC 8707); an audience may be any text, e.g. Entra ID's app id. */
function resourceOf(realm: Realm): string {
  return URL.canParse(realm.audience) ? realm.audience : `urn:audience:${encodeURIComponent(realm.audience)}`;
}

function configuration(parts: ProviderParts): Configuration {
  const { realm, clients, accounts, artifacts } = parts;
  const origins = new Map(clients.map((client) => [client.client_id, client.origins]));
  return {
    adapter: (model) => artifacts.adapter(model),
    clients: clients.map(({ client_id, redirect_uris, post_logout_redirect_uris }) => ({
      client_id,
      redirect_uris,
      post_logout_redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })),
    jwks: { keys: parts.keys },
    cookies: cookieSettings(realm, parts.cookieSecret),
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: SCOPES,
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // As Auth0, Keycloak and Entra ID: name and e-mail are in the ID token already (checked 2026-11-21).
    conformIdTokenClaims: false,
    clientBasedCORS: (_ctx, origin, client) => origins.get(client.clientId)?.includes(origin) ?? false,
    extraParams: extraParams(realm),
    findAccount(_ctx, id) {
      const user = accounts.byId(id);
      return user ? { accountId: id, claims: async () => ({ sub: id, ...profile(user) }) } : undefined;
    },
    loadExistingGrant: (ctx) => grantEverything(ctx, resourceOf(realm)),
    extraTokenClaims: (ctx, token) => accessTokenClaims(ctx, realm, accounts, token),
    formats: {
      customizers: {
        jwt(_ctx, _token, structured) {
          if (realm.shape.tokenTyp) structured.header = { ...structured.header, typ: realm.shape.tokenTyp };
          if (realm.shape.audArray) structured.payload.aud = [realm.audience, `${realm.baseUrl}/me`];
        },
      },
    },
    issueRefreshToken: async (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    ttl: lifetimes(),
    interactions: { url: (_ctx, interaction) => `${realm.basePath}/interaction/${interaction.uid}` },
    renderError(ctx, out) {
      ctx.type = 'html';
      ctx.body = errorPage(realm, clients, out.error_description ?? out.error);
    },
    features: features(parts),
  };
}

function cookieSettings(realm: Realm, secret: string): NonNullable<Configuration['cookies']> {
  // Cookies know no ports: several providers on one host must not overwrite each other's.
  const tag = createHash('sha256').update(realm.issuer).digest('hex').slice(0, 8);
  // Secure cookies are not sent to http://127.0.0.1, which is where the sandbox usually lives.
  const options = { httpOnly: true, sameSite: 'lax', secure: realm.secure, signed: true } as const;
  return {
    keys: [secret],
    names: {
      session: `${realm.secure ? '__Host-' : ''}sign_in_${tag}`,
      interaction: `${realm.secure ? '__Secure-' : ''}sign_in_page_${tag}`,
      resume: `${realm.secure ? '__Secure-' : ''}sign_in_resume_${tag}`,
    },
    long: options,
    short: options,
  };
}

function extraParams(realm: Realm): NonNullable<Configuration['extraParams']> {
  return {
    /** `signup` opens the form for a new account. */
    screen_hint(ctx) {
      const { params } = ctx.oidc;
      // The library grants offline access only with prompt=consent; no single-page app's provider asks for that, and
      // a silent sign-in (prompt=none) could not ask (checked 2026-11-21).
      const asked = String(ctx.query.scope ?? '').split(' ');
      if (!params || !asked.includes('offline_access') || typeof params.scope !== 'string') return;
      const kept = params.scope.split(' ');
      if (!kept.includes('offline_access')) params.scope = [...kept, 'offline_access'].join(' ');
    },
    /** How Auth0 is asked for an API's token; here there is one API, so it may be left out. */
    audience(_ctx, value) {
      if (value !== undefined && value !== realm.audience) {
        throw new errors.InvalidTarget('this audience is not known here');
      }
    },
  };
}

/** A first party's app is not asked for consent. */
async function grantEverything(ctx: KoaContextWithOIDC, resource: string) {
  const { oidc } = ctx;
  const accountId = oidc.session?.accountId;
  const clientId = oidc.client?.clientId;
  if (!oidc.session || !accountId || !clientId) return undefined;
  const id = oidc.session.grantIdFor(clientId);
  const known = id ? await oidc.provider.Grant.find(id) : undefined;
  const grant = known?.accountId === accountId ? known : new oidc.provider.Grant({ accountId, clientId });
  grant.addOIDCScope(SCOPES);
  grant.addResourceScope(resource, SCOPES);
  await grant.save();
  return grant;
}

export function profile(user: User): Record<string, unknown> {
  return {
    email: user.email,
    email_verified: user.emailVerified,
    ...(user.name === null ? {} : { name: user.name }),
  };
}

/** Name and e-mail under the names that access tokens of this realm have for them. */
export function tokenProfile(realm: Realm, user: User): Record<string, unknown> {
  const { emailInToken = true, claimNames = {} } = realm.shape;
  if (!emailInToken) return {};
  const names: Record<string, string> = claimNames;
  return Object.fromEntries(
    Object.entries(profile(user)).map(([name, value]) => [names[name] ?? name, value]),
  );
}

function accessTokenClaims(
  ctx: KoaContextWithOIDC,
  realm: Realm,
  accounts: Accounts,
  token: { readonly kind: string },
): Record<string, unknown> {
  const { AuthorizationCode: code, RefreshToken: refresh } = ctx.oidc.entities;
  const accountId = 'accountId' in token && typeof token.accountId === 'string' ? token.accountId : '';
  const user = accounts.byId(accountId);
  const authTime = code?.authTime ?? refresh?.authTime;
  return {
    ...(user ? tokenProfile(realm, user) : {}),
    ...(authTime === undefined ? {} : { auth_time: authTime }),
  };
}

function lifetimes(): NonNullable<Configuration['ttl']> {
  const within = (startedAt: number | undefined) =>
    Math.max(1, Math.min(IDLE_SECONDS, (startedAt ?? nowSeconds()) + ABSOLUTE_SECONDS - nowSeconds()));
  return {
    AccessToken: ACCESS_TOKEN_SECONDS,
    AuthorizationCode: 60,
    IdToken: ID_TOKEN_SECONDS,
    Interaction: 3600,
    Session: (_ctx, session) => within(session.loginTs),
    RefreshToken: (_ctx, token) => within(token.iiat),
    // Longer than any session or token that hangs on it.
    Grant: 2 * ABSOLUTE_SECONDS,
  };
}

function features(parts: ProviderParts): NonNullable<Configuration['features']> {
  const { realm, clients } = parts;
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    // Answered by `userinfo.ts`: the library's own refuses access tokens that are for an API.
    userinfo: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => resourceOf(realm),
      useGrantedResource: async () => true,
      async getResourceServerInfo(_ctx, resource) {
        if (resource !== resourceOf(realm)) throw new errors.InvalidTarget();
        return {
          scope: SCOPES.join(' '),
          audience: realm.audience,
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        };
      },
    },
    rpInitiatedLogout: {
      enabled: true,
      async logoutSource(ctx, form) {
        if (await signOutAtOnce(ctx, parts)) return;
        ctx.body = signOutPage(realm, form);
      },
      async postLogoutSuccessSource(ctx) {
        ctx.type = 'html';
        ctx.body = signedOutPage(realm, clients);
      },
    },
  };
}

/**
 * A person who asks with their own ID token is signed out without a question and sent back. Any other request, as by a link in
 * somebody's page, is asked about.
 */
async function signOutAtOnce(ctx: KoaContextWithOIDC, { artifacts }: ProviderParts): Promise<boolean> {
  const { session, params, entities, provider } = ctx.oidc;
  const hinted = entities.IdTokenHint?.payload.sub;
  if (!session?.accountId || hinted !== session.accountId) return false;
  for (const { grantId } of Object.values(session.authorizations ?? {})) {
    if (grantId) artifacts.revokeGrant(grantId);
  }
  await session.destroy();
  ctx.cookies.set(provider.cookieName('session'), null, { path: '/', httpOnly: true, sameSite: 'lax' });
  const back = params?.post_logout_redirect_uri;
  const target = new URL(typeof back === 'string' ? back : ctx.oidc.urlFor('end_session_success'));
  if (typeof back === 'string' && typeof params?.state === 'string')
    target.searchParams.set('state', params.state);
  ctx.redirect(target.href);
  ctx.status = 303;
  return true;
}
