/** What no caller may learn of the inside. */
export const inside =
  /at [\w.<>]+ \(|node:internal|\/src\/|\.ts:\d|SELECT |INSERT INTO|SQLSTATE|kysely|violates|relation "|ECONN/;
