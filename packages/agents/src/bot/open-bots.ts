/** @file What bots hold open in this process: processes, and sessions that are being closed. */

export const openBots: { readonly closing: Set<Promise<void>>; readonly processes: Set<{ close(): void }> } = {
  closing: new Set(),
  processes: new Set(),
};

/** Waits for the sessions of episodes that are over, and ends every process of a bot, also the shared ones. */
export async function closeBots(): Promise<void> {
  while (openBots.closing.size > 0) await Promise.allSettled([...openBots.closing]);
  for (const item of [...openBots.processes]) item.close();
}
