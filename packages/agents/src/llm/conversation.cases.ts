/** @file A table at which everyone hears everything: the plainest world for tests of language agents. */

import type { Agent, AgentSpec, Environment, EpisodeEvent, Json, Model, ModelCall, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { Mind } from '../mind/mind.ts';
import type { Persona } from '../personas/index.ts';
import { llmAgent } from './agent.ts';

type State = { readonly turn: number; readonly seats: readonly string[]; readonly turns: number; readonly window: number };

/** Seats speak in turn; each hears all, itself included only in its own memory. */
export function talk(
  seats: readonly string[],
  turns: number,
  options: { readonly setting?: string; readonly window?: number } = {},
): Environment<State, Json> {
  const ask = (state: State) => {
    const seat = state.seats[state.turn % state.seats.length]!;
    return state.turn >= turns ? [] : [{ seat, ...(options.window === undefined ? {} : { window: options.window }) }];
  };
  return {
    id: 'talk@1',
    about: { summary: 'A table.', tasks: [{}], turns },
    parameters: {},
    task: (input) => input,
    seats: () => seats,
    start() {
      const state: State = { turn: 0, seats, turns, window: 0 };
      return { state, messages: [{ to: seats, text: options.setting ?? 'You sit at a table and talk.' }], asks: ask(state) };
    },
    step(state, actions) {
      const [seat, action] = Object.entries(actions)[0]!;
      const next: State = { ...state, turn: state.turn + 1 };
      return {
        state: next,
        messages: [{ from: seat, to: seats.filter((otherSeat) => otherSeat !== seat), text: action.text }],
        asks: ask(next),
      };
    },
  };
}

export interface SpokenTurn {
  readonly seat: string;
  readonly prompt: Prompt;
  readonly calls: readonly ModelCall[];
  readonly mind: Mind;
  readonly text: string;
}

export async function agentAt(seat: string, model: Model, spec: Partial<AgentSpec> = {}): Promise<Agent> {
  return llmAgent({ spec: { name: seat, kind: 'llm', ...spec }, seat, model });
}

/** Plays a world to its end and gives every answer with the prompt that led to it. */
export async function spokenTurns(
  environment: Environment<State, Json>,
  agents: Readonly<Record<string, Agent>>,
  seed = 1,
): Promise<readonly SpokenTurn[]> {
  const out: SpokenTurn[] = [];
  for await (const event of play(environment, agents, { seed, freeze: true })) {
    if (event.kind === 'end' && event.reason !== 'over') throw new Error(`${event.reason}: ${event.fault?.message ?? ''}`);
    if (event.kind === 'action') out.push(spokenTurn(event));
  }
  return out;
}

function spokenTurn({ seat, calls = [], mind, action }: EpisodeEvent & { readonly kind: 'action' }): SpokenTurn {
  return { seat, prompt: calls[0]!.prompt, calls, mind: mind as Mind, text: action.text };
}

/** Everything a prompt says, as a server would read it. */
export function textOfPrompt({ messages, tools }: Prompt): string {
  return messages.map(({ role, content, name }) => `${role} ${name ?? ''} ${content}`).join('\n') + JSON.stringify(tools ?? []);
}

const remarks = [
  'I was in Lisbon in the spring, and nobody there talks about money before noon.',
  'Thank you, darling, but the roof began to leak again and I hope it will hold until the pudding.',
  'You are a liar, and everybody at this table knows it; I promise you will pay 30 for the lamp.',
  'The house is old. My aunt died in the blue room and we never opened the shutters after that.',
  'Do you remember the novel with the lighthouse? I never finished it, it was too sad for me.',
  'Pass the salt, please. The soup is cold, and the dog has taken the second candle off the table.',
  'Somebody telephoned at nine and asked for the doctor, but would not leave a name or a number.',
];

/** Lines of dinner talk in labeled form, seeded. */
export function chatter(seed: number): (prompt: Prompt, dice: { pick<T>(items: readonly T[]): T }) => string {
  return (_, dice) => `Thought: I wonder ${rng(seed, 'wonder').int(100)} about that.\nSpeech: ${dice.pick(remarks)}`;
}

/** A persona as a spec holds it. */
export function asJson(persona: Persona): Json {
  return persona;
}
