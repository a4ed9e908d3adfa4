/**
 * This page loads in a hidden frame of our own pages only, at the end of a silent sign-in. It hands what the provider said
 * to the page around it, in the form that the sign-in library there expects of its own page (oidc-client-ts 3, checked
 * 2026-11-22): so the frame loads neither the library nor any part of the app.
 */
const { location, parent } = window;
const { origin, pathname, search, hash } = location;
// A provider may say that it answers behind a # and not do so, above all in its errors: the library, which looks in the one place
// it has asked for, finds the answer in both.
const parts = [hash.slice(1), search.slice(1)];
const answer = parts.find((part) => new URLSearchParams(part).has('state')) ?? '';
const url = `${origin}${pathname}?${answer}#${answer}`;
parent.postMessage({ source: 'oidc-client', url, keepOpen: false }, origin);

export {};
