/** @file Replaces variables in headers by their values. A variable that is not set is an error, and nothing is sent. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { BotServices } from './session.ts';
import { variable } from './settings.ts';

export function filledHeaders(
  name: string,
  headers: Readonly<Record<string, string>>,
  { env }: Pick<BotServices, 'env'>,
): Record<string, string> {
  const fill = (header: string, text: string) =>
    text.replace(variable, (_, key: string) => {
      const value = env(key);
      if (value === undefined || value === '')
        throw new Fault('agent', `The bot ${name} needs the environment variable ${key} for its header ${header}, but it is not set.`, {
          code: 'E_BOT_FAILED',
        });
      return value;
    });
  return Object.fromEntries(Object.entries(headers).map(([header, text]) => [header, fill(header, text)]));
}
