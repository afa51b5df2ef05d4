/** @file `ludus show blame`: finds the first step of an episode that is wrong by rules, or whose correction changes the outcome most. */

import type { DecisiveError, ReplayFound } from '@ludus-agents/evaluation/internal/scoring/counterfactual';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { brief } from '@ludus-agents/store/internal/stores';
import { blame as findBlame, type GraphEdge, type WrongAnswers } from '../../../library/episodes.ts';
import { type CommandRun, exits } from '../../command.ts';
import { agentsIn, type KeptOptions } from '../../kept-episode.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options extends KeptOptions {
  readonly json?: boolean;
  readonly find: 'rules' | 'replay';
  readonly graph?: boolean;
  readonly wrong?: readonly string[];
  readonly changes: number;
  readonly steps: number;
}

export const blame: CommandRun<Options> = {
  async run(call) {
    const { args, options, terminal } = call;
    const { find, graph, wrong, changes, steps, environment, store, readOnly } = options;
    const { controller, release } = interruptible(terminal);
    const agents = agentsIn(call, options);
    const request = {
      episode: args[0],
      find,
      graph,
      wrong,
      changes,
      steps,
      environment,
      agents,
      store,
      readOnly,
      signal: controller.signal,
    };
    const result = await findBlame(request, terminal).finally(release);
    const { episode, rules, replay } = result;
    if (options.json === true)
      printJson(terminal, { episode, ...rules, ...replay, ...(result.graph !== undefined && { graph: result.graph }) });
    else {
      const lines = replay === undefined ? [textOf({ episode, wrong: [], blame: null, ...rules })] : replayLines(episode, replay);
      print(terminal, ...(result.graph ?? []).map(edgeText), ...lines);
    }
    return exits.fine;
  },
};

function replayLines(episode: string, { errors, tried, replays }: ReplayFound): readonly string[] {
  const cost = `${count(tried, 'step')} tried in ${count(replays, 'replay')}.`;
  const [first, ...others] = errors;
  if (first === undefined) return [`No single change of a step improves the outcome of ${brief(episode)}. ${cost}`];
  const who = (error: DecisiveError) => `${printable(error.seat)}${error.member === undefined ? '' : ` (${printable(error.member)})`}`;
  const text = (error: DecisiveError) =>
    `${who(error)}, at answer ${error.step} (event ${error.event}): "${printable(error.did)}". With "${printable(error.better)}" the outcome is ${error.outcome.toFixed(2)}, not ${error.before.toFixed(2)}.`;
  return [`Decisive error: ${text(first)}`, ...others.slice(0, 4).map((error) => `Also: ${text(error)}`), cost];
}

function edgeText({ event, by, text, uses, speeches = [] }: GraphEdge): string {
  const row = (name: string, who: string, quote: string, from: readonly string[]) =>
    `${name} ${printable(who)} "${printable(quote)}"${from.length === 0 ? '' : ` ← ${from.join(', ')}`}`;
  const speechRows = speeches.map((speech, i) =>
    row(
      `  ${event}.${i + 1}`,
      speech.member,
      speech.text,
      speech.uses.map((use) => `${event}.${use + 1}`),
    ),
  );
  return [...speechRows, row(String(event), by, text, uses.map(String))].join('\n');
}

type BlameFound = WrongAnswers & { readonly episode: string };

function textOf({ fault, ...answers }: BlameFound): string {
  if (fault === undefined) return answersText(answers);
  const ended = `${printable(fault.seat ?? `the ${fault.boundary}`)} failed, which ended ${brief(answers.episode)}: ${printable(fault.message)}`;
  return answers.wrong.length === 0 ? ended : `${ended}\n${answersText(answers)}`;
}

function answersText({ episode, wrong, blame: match }: BlameFound): string {
  if (wrong.length === 0)
    return `No answer in ${brief(episode)} is known to be wrong: no rule was broken, no call failed, and no answer contradicts the environment.`;
  if (match === null) return `The outcome of ${brief(episode)} does not depend on any of the ${wrong.length} wrong answers.`;
  const depend =
    match.followers === 0
      ? ''
      : ` ${count(match.followers, 'later event')} ${match.followers === 1 ? 'depends' : 'depend'} on it directly.`;
  return `${printable(match.seat)}, at answer ${match.step} (event ${match.event}): "${printable(match.text)}".${depend} ${Math.round(100 * match.reach)}% of what led to the end depends on it.`;
}
