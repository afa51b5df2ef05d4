/**
 * @file Demonstrations for a learner that plays through prompts: a script or random legal moves, written in the prompts' form. If an answer
 * has a memo, it is a random visible item: this demonstrates the form, but not which items are worth keeping.
 *
 * A script that writes a line "Tool: NAME {…}" calls the tool: it is asked again in the same turn, with the result as a message from
 * "tool". The names of the tools that it may call are in its mind, as `tools`; where there are none, it has to answer.
 */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Agent, ChatMessage, Model, Policy, Prompt, Script, Seat, Seed, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { WarmUpSetup } from '../rl/script-play.ts';
import { agentOfView, answersTo, type PromptView } from './learner-view.ts';

/** A prompt and its demonstrated answer. */
export interface ShownAnswer {
  readonly prompt: Prompt;
  readonly text: string;
}

export interface Showing {
  readonly games: number;
  readonly seed: Seed;
  readonly script: string | undefined;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
}

/** Every answer of the given number of games, with its prompt. */
export async function demonstrationsOf(
  view: PromptView,
  { environment, task, others = {} }: WarmUpSetup,
  { games, seed, script, cwd, trust }: Showing,
): Promise<readonly ShownAnswer[]> {
  const scripts: Readonly<Record<string, Script>> = environment.scripts ?? {};
  const namedScript = script === undefined ? undefined : scripts[script];
  if (script !== undefined && namedScript === undefined)
    throw new Fault('input', `${environment.id} has no script "${script}" to imitate. Available: ${Object.keys(scripts).join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const shownAnswers: ShownAnswer[] = [];
  let current: Turn | null = null;
  /** The length of the turn's prompt before any tool call; everything after it is calls and results. */
  let length = 0;
  const model: Model = {
    id: 'shown',
    price: { prompt: 0, completion: 0 },
    async complete(prompt) {
      length ||= prompt.messages.length;
      const results = prompt.messages.slice(length).filter(({ role }) => role !== 'assistant');
      const turn = withTools(current!, prompt.tools?.map(({ name }) => name) ?? [], results);
      const text = answerTo(turn, view, namedScript);
      shownAnswers.push({ prompt, text });
      return { model: 'shown', prompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
    },
  };
  const agents = new Map<Seat, Promise<Agent>>();
  const { signal } = new AbortController();
  const policy: Policy = {
    name: 'shown',
    async act(turns) {
      const replies = [];
      for (const turn of turns) {
        const { seat } = turn.ask;
        const agent = agents.get(seat) ?? agentOfView(view, model, seat, { environment, cwd, trust });
        agents.set(seat, agent);
        [current, length] = [turn, 0];
        replies.push(await (await agent).act(turn, signal));
      }
      return replies;
    },
  };
  const dice = rng(seed, 'shown', environment.id);
  const seats: readonly Seat[] = environment.seats(environment.task(task));
  const cast = Object.fromEntries(seats.map((seat) => [seat, others[seat] ?? policy]));
  const logs = await rollout(environment, cast, { seeds: Array.from({ length: games }, () => dice.int(2 ** 32)), task });
  const end = logs[0]?.at(-1);
  if (end?.kind === 'end' && end.fault !== undefined) throw new Fault('input', end.fault.message);
  if (shownAnswers.length === 0)
    throw new Fault('input', `No seat was asked anything in ${games} games of ${environment.id}, so there is nothing to show.`);
  return shownAnswers;
}

/** The turn with the available tools, and with their results. */
function withTools(turn: Turn, tools: readonly string[], results: readonly ChatMessage[]): Turn {
  const { seat, seen } = turn.view;
  const messages = results.map(({ content }) => ({ kind: 'message' as const, to: [seat], from: 'tool', text: String(content) }));
  return { ...turn, ...(tools.length > 0 && { mind: { tools } }), view: { ...turn.view, seen: [...seen, ...messages] } };
}

function answerTo(turn: Turn, view: PromptView, script: Script | undefined): string {
  const [move] = script === undefined ? [] : scriptMove(turn, script);
  if (move !== undefined && /^Tool: /.test(move)) return move;
  const answers = answersTo(turn, view, move === undefined ? undefined : [move]);
  if (answers.length === 0)
    throw new Fault('input', `Seat "${turn.ask.seat}" has no list of moves. Set training.warmUp.script to a script to imitate.`);
  return turn.rng.pick(answers);
}

function scriptMove(turn: Turn, script: Script): readonly string[] {
  const answer = script(turn);
  return [('action' in answer ? answer.action : answer).text];
}
