/**
 * @file One small task for each known pipeline, on which one of its modules matters: played with the module and without it, on the same seeds.
 *
 * The member is not a language model. It is bounded as a small one is: in each module it can take one step of thought, and acts by the lines that
 * were written in this turn or kept from earlier ones, not by all it has ever seen.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { readTeamMind } from '@ludus-agents/agents/internal/team/agent';
import { pipelines } from '@ludus-agents/agents/internal/team/pipelines';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { lineIn } from '@ludus-agents/environments/internal/discussion/speech';
import type { Agent, AnyEnvironment, EpisodeEvent, Json, Rng, Turn } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';

/** What a member has before it in a module: the latest line of a label, what it was told last by the environment, and dice. */
export interface Mindful {
  line(label: string): string;
  readonly told: string;
  /** What it is asked, with the notes from earlier turns; and its own last move. */
  readonly asked: string;
  readonly last: string;
  readonly dice: Rng;
}

export interface PipelineTrial {
  readonly pipeline: string;
  /** The module that is switched off. */
  readonly module: string;
  /** What is won by it. */
  readonly about: string;
  readonly moves: readonly string[];
  readonly turns: number;
  begin(dice: Rng): TrialState;
  /** What comes of a move; `paid` is paid once it is over. */
  step(state: TrialState, move: string): TrialState;
  /** By module: what the member says. */
  readonly says: Readonly<Record<string, (mind: Mindful) => string>>;
}

export type TrialState = { readonly told: string; readonly over?: boolean; readonly paid?: number } & { readonly [key: string]: Json };

const prefix = 'You see: ';

function environmentOf({ pipeline, moves, turns, begin, step }: PipelineTrial): AnyEnvironment {
  const tellPlayer = ({ told }: TrialState) => [{ to: ['player'], text: `${prefix}${told}` }];
  const onward = (state: TrialState, turn: number) => {
    const over = state.over === true || turn >= turns;
    const rewards = over ? { rewards: { player: state.paid ?? 0 } } : {};
    return { state: { state, turn }, messages: tellPlayer(state), asks: over ? [] : [{ seat: 'player', choices: moves }], ...rewards };
  };
  return {
    id: `trial-${pipeline}@1`,
    about: { summary: 'A trial.', tasks: [{}], turns },
    parameters: {},
    task: () => ({}),
    seats: () => ['player'],
    start: (_task: object, dice: Rng) => onward(begin(dice), 0),
    step: ({ state, turn }: { state: TrialState; turn: number }, actions: Readonly<Record<string, { text: string }>>) =>
      onward(step(state, actions['player']?.text ?? ''), turn + 1),
  };
}

type Told = {
  readonly name: string;
  readonly tell?: string;
  readonly modules?: readonly Told[];
};

function tellsOf(modules: readonly Told[]): readonly (readonly [string, string])[] {
  return modules.flatMap(({ name, tell, modules: within }) => [
    ...(tell === undefined ? [] : [[tell, name] as const]),
    ...tellsOf(within ?? []),
  ]);
}

/** The member: it finds which module asks, and says what the trial says. */
function memberOf({ pipeline, says, moves }: PipelineTrial): Agent {
  const tells = tellsOf(pipelines[pipeline]?.modules as readonly Told[]);
  return {
    name: 'member',
    speaks: true,
    act({ view, rng }: Turn) {
      const texts = view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : item.kind === 'message' ? [item.text] : []));
      const module = tells.find(([tell]) => texts.at(-1)?.includes(tell))?.[1] ?? 'act';
      const line = (label: string) => texts.map((text) => lineIn(text, label)).findLast((item) => item !== null) ?? '';
      const observedText = texts.findLast((text) => text.startsWith(prefix))?.slice(prefix.length) ?? '';
      const last = texts.findLast((text) => moves.includes(text)) ?? '';
      const text = says[module]?.({ line, told: observedText, asked: texts.at(-1) ?? '', last, dice: rng }) ?? 'Nothing.';
      return { action: { text: module === 'act' ? `Answer: ${text === 'Nothing.' ? rng.pick(moves) : text}` : text } };
    },
  };
}

export interface TrialPlay {
  readonly paid: number;
  /** Words that were said in all modules: what it costs. */
  readonly words: number;
}

export async function playTrial(trial: PipelineTrial, seed: number, off: readonly string[]): Promise<TrialPlay> {
  const environment = environmentOf(trial);
  const load = createAgentLoader({ environment: builtInEnvironment, own: async () => memberOf(trial) });
  const settings = { pipeline: trial.pipeline, members: ['./member.ts'], off: [...off] };
  const player = await load({ name: 'p', kind: 'team', settings }, 'player', environment);
  const log: EpisodeEvent[] = [];
  for await (const event of play(environment, { player }, { seed })) log.push(event);
  const end = log.at(-1);
  if (end?.kind !== 'end' || end.reason !== 'over') throw new Error(end?.kind === 'end' ? end.fault?.message : 'It did not end.');
  const spoken = log.flatMap((event) => (event.kind === 'action' ? (readTeamMind(event.mind)?.discussion ?? []) : []));
  const wordCount = spoken.reduce(
    (sum, episodeEvent) => sum + (episodeEvent.kind === 'action' ? episodeEvent.action.text.split(/\s+/).length : 0),
    0,
  );
  return { paid: end.returns['player'] ?? 0, words: wordCount };
}
