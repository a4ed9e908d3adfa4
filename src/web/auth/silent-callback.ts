/**
 * This page loads in a hidden frame of our own pages only, at the end of a silent sign-in. It hands what the provider said
 * to the page around it, in the form that the sign-in library there expects of its own page (oidc-client-ts 3, checked
 * 2026-11-22): so the frame loads neither the library nor any part of the app.
 */
const { location, parent } = window;
parent.postMessage({ source: 'oidc-client', url: location.href, keepOpen: false }, location.origin);

export {};
