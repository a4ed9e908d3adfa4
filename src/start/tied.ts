/**
 * Loaded before a child's own code (`node --import`): the child ends when the start command is gone, even killed with
 * -9, so that nothing of it is left holding ports.
 */
const graceMs = 10_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), graceMs).unref();
  process.kill(process.pid, 'SIGTERM');
});
// A listener on the channel would keep a child alive that has nothing left to do.
process.channel?.unref();
