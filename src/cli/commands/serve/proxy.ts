/** @file `ludus serve proxy`: an OpenAI-compatible proxy in front of any model, that records every call as an episode. */

import type { Command } from 'commander';
import { BudgetCounter } from '../../../core/index.ts';
import { keyVariableFor } from '../../../models/key-origins.ts';
import { readPrices } from '../../../models/priced.ts';
import type { ProxyOptions } from '../../../servers/proxy/routes.ts';
import { amount, type CommandFile, examples } from '../../command.ts';
import { budgetOf, type SpendingOptions, withSpending } from '../../spending.ts';
import { collect } from '../play.ts';
import { type CharacterOptions, checkModelName, readPersonas, withCharacters } from './a2a.ts';
import { type Owner, open, type ServeFlags, withServeOptions } from './running-server.ts';

export interface RecordingOptions extends SpendingOptions, CharacterOptions {
  readonly upstream?: string;
  readonly keyFrom?: string;
  readonly tokens?: boolean;
  readonly run?: string;
  readonly expire?: number;
  readonly model?: readonly string[];
}

export const proxy: CommandFile = {
  declare(command) {
    withSpending(withRecording(withServeOptions(command, 8080)));
    examples(command, {
      'ludus serve proxy --upstream http://localhost:8000/v1 --port 8080': 'programs set OPENAI_BASE_URL=http://127.0.0.1:8080/v1',
      'ludus serve proxy': 'models of our own only: "persona/innkeeper", "local/RUN@best"',
      'ludus serve proxy --model tinker:http://127.0.0.1:8000#tinyllama':
        'a model of a training server, or a GGUF file, as an OpenAI-like endpoint',
      'ludus serve proxy --character openai/gpt-5-mini --persona iago.png':
        'characters played by a model, one of them from a card: "persona/iago"',
      'ludus serve proxy --upstream URL --max-cost 5': 'what could cost more is refused',
      'ludus export --format trl-sft --run proxy -o dataset': 'what was recorded, as training data',
    });
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as ServeFlags & RecordingOptions;
    return open(terminal, options, async (owner) => ({ doors: await recordingRoutes(options, owner), named: { proxy: '/v1' } }));
  },
};

export function withRecording(command: Command): Command {
  return withCharacters(command)
    .option('--upstream <url>', 'the OpenAI-compatible server that calls go on to, e.g. http://localhost:8000/v1')
    .option('--key-from <variable>', 'the environment variable with the key of that server (default: the key that is bound to its origin)')
    .option('--no-tokens', 'do not ask the server for token ids and log-probabilities')
    .option('--run <name>', 'the run of calls that name none (default: proxy)')
    .option('--expire <seconds>', 'when an episode that nobody calls is over (default: 3600)', amount('--expire'))
    .option(
      '--model <name>',
      'a model that answers here by its own name: gguf:PATH, tinker:URL#NAME …; may be given several times',
      collect,
    );
}

export async function recordingRoutes(options: RecordingOptions, { store, terminal }: Owner) {
  const { proxyRoutes } = await import('../../../servers/proxy/routes.ts');
  const { upstream, tokens, run, expire, character } = options;
  await checkModelName(character);
  // A named variable binds its key to that server; otherwise it has the one that is bound to its origin.
  const keyFrom = options.keyFrom ?? (upstream === undefined ? undefined : keyVariableFor(upstream, terminal.env));
  const behind: ProxyOptions['upstream'] =
    upstream === undefined ? undefined : { url: upstream, keyFrom, env: terminal.env, tokens: tokens !== false };
  const personas = await readPersonas(options, terminal);
  const limits = budgetOf(options);
  // How many failures in a row are too many is the callers' to say.
  const budget = Object.keys(limits).length === 0 ? undefined : new BudgetCounter({ ...limits, failures: Number.POSITIVE_INFINITY });
  const file = terminal.env['LUDUS_PRICES'];
  const prices = file === undefined || file === '' ? undefined : await readPrices(file);
  const house = { cwd: terminal.cwd, model: character, models: options.model, personas };
  return proxyRoutes({ store, house, upstream: behind, run, idleSeconds: expire, budget, prices }).doors;
}
