/** @file The way to a bot that its settings describe; what it takes is loaded when it is meant. */

import type { BotLink, BotServices } from './session.ts';
import type { BotSettings } from './settings.ts';

export async function createBotLink(name: string, settings: BotSettings, services: BotServices): Promise<BotLink> {
  if (settings.via === 'a2a') return (await import('./a2a-bot.ts')).a2aBot(name, settings, services);
  if (settings.via === 'cmd') return (await import('./process-bot.ts')).processBot(name, settings, services);
  if (settings.via === 'function')
    return (await import('./function-bot.ts')).functionBot(name, settings.file, () => services.load(settings.file));
  return (await import('./http-bot.ts')).httpBot(name, settings, services);
}
