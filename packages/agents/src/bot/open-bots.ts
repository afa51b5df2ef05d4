/** @file Tracks what bots keep open in this process: child processes, and sessions that are closing. */

export const openBots: { readonly closing: Set<Promise<void>>; readonly processes: Set<{ close(): void }> } = {
  closing: new Set(),
  processes: new Set(),
};

/** Waits for the sessions of finished episodes to close, and ends every bot process, including shared ones. */
export async function closeBots(): Promise<void> {
  while (openBots.closing.size > 0) await Promise.allSettled([...openBots.closing]);
  for (const item of [...openBots.processes]) item.close();
}
