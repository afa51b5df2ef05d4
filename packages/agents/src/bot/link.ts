/** @file Connects to a bot by its settings; the code of each kind is loaded on first use. */

import type { BotLink, BotServices } from './session.ts';
import type { BotSettings } from './settings.ts';

export async function createBotLink(name: string, settings: BotSettings, services: BotServices): Promise<BotLink> {
  const link = await plainLink(name, settings, services);
  const { port, state, plant } = settings.hooks;
  return port === null && state === null && plant === null ? link : (await import('./hooks.ts')).withHooks(name, link, settings, services);
}

async function plainLink(name: string, settings: BotSettings, services: BotServices): Promise<BotLink> {
  const { via, file } = settings;
  if (via === 'a2a') return (await import('./a2a-bot.ts')).a2aBot(name, settings, services);
  if (via === 'acp') return (await import('./acp-bot.ts')).acpBot(name, settings, services);
  if (via === 'mcp') return (await import('./mcp-bot.ts')).mcpBot(name, settings, services);
  if (via === 'ws') return (await import('./socket-bot.ts')).socketBot(name, settings, services);
  if (via === 'cmd') return (await import('./process-bot.ts')).processBot(name, settings, services);
  if (via === 'function') return (await import('./function-bot.ts')).functionBot(name, file, () => services.load(file));
  return (await import('./http-bot.ts')).httpBot(name, settings, services);
}
