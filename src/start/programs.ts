/** The server's program, from the root of an installation that has been built. */
export const serverProgram = 'dist/server/main.js';
