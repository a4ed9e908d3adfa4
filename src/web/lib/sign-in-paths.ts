/** Known to the identity provider as redirect addresses. */
export const callbackPath = '/auth/callback';
export const silentCallbackPath = '/auth/silent-callback.html';
