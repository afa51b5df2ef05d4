/** @file `ludus replay`: replays an episode from its log alone and reports the first difference. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { type EpisodeEvent, pause, printable, type TaskParameters } from '@ludus-agents/kernel/internal/core/index';
import type { LogDifference } from '@ludus-agents/kernel/internal/engine/play';
import { brief, type StoreOptions } from '@ludus-agents/store/internal/stores';
import { replay as replayEpisode } from '../../library/episodes.ts';
import { type CommandRun, exits } from '../command.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { scene } from '../render/episode.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly speed?: number;
  readonly environment?: string;
  readonly json?: boolean;
}

export const replay: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const request = { episode: args[0], environment: options.environment, store: options.store, readOnly: options.readOnly };
    const { episode: id, rules: environment, events, difference } = await replayEpisode(request, terminal);
    const colours = coloursFor(terminal.stdout, terminal.env);
    if (options.json === true) printJson(terminal, { episode: id, events: events.length, identical: difference === null, difference });
    else {
      if (options.speed !== undefined)
        await watch(terminal, events.slice(0, difference?.index), { speed: options.speed, parameters: environment.parameters });
      print(terminal, verdict({ id, events, difference, rules: environment.id }, colours));
    }
    return difference === null ? exits.fine : exits.found;
  },
};

async function watch(
  terminal: Terminal,
  events: readonly EpisodeEvent[],
  { speed, parameters }: { speed: number; parameters: TaskParameters },
): Promise<void> {
  const { controller, release } = interruptible(terminal);
  const view = scene({ colours: coloursFor(terminal.stdout, terminal.env), columns: columnsOf(terminal.stdout), parameters });
  for (const [index, event] of events.entries()) {
    const text = view.show(event, index);
    if (text === '') continue;
    terminal.stdout.write(text);
    await pause(1000 / speed, controller.signal).catch(() => undefined);
    if (controller.signal.aborted) break;
  }
  terminal.stdout.write('\n');
  release();
}

interface Verdict {
  readonly id: string;
  readonly events: readonly EpisodeEvent[];
  readonly difference: LogDifference | null;
  readonly rules: string;
}

function verdict({ id, events, difference, rules }: Verdict, colours: Colours): string {
  const open = events.at(-1)?.kind === 'end' ? '' : ' The episode has not ended yet.';
  if (difference === null)
    return `${colours.green('✓')} Identical: all ${count(events.length, 'event')} of ${brief(id)} follow from ${rules}, its seed and its moves.${open}`;
  const event = (episodeEvent: EpisodeEvent | null) => (episodeEvent === null ? 'nothing' : printable(JSON.stringify(episodeEvent)));
  return [
    `${colours.red('✗')} Event ${difference.index} of ${brief(id)} does not follow from ${rules}.`,
    `  ${colours.faint('the rules say')}  ${event(difference.expected)}`,
    `  ${colours.faint('the log says ')}  ${event(difference.found)}`,
  ].join('\n');
}
