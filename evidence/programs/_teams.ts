/** @file Shared by programs with teams: an environment that asks a team one question, scripted members, and the counters of an episode. */

import { readTeamMind, type TeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Action, Agent, AnyEnvironment, JsonObject, Rng, Turn } from '@ludus-agents/kernel/internal/core/index';
import { scripted } from '@ludus-agents/kernel/internal/core/index';
import { playOne } from './_play.ts';

export interface Question {
  readonly text: string;
  readonly right: string;
  readonly choices?: readonly string[];
}

/** One question for the seat "team", drawn from the seed; the right answer pays 1. */
export function quiz(draw: (random: Rng) => Question): AnyEnvironment {
  return {
    id: 'quiz@1',
    about: { summary: 'One question for a team.', tasks: [{}], turns: 1 },
    parameters: {},
    task: () => ({}),
    seats: () => ['team'],
    start(_: object, random: Rng) {
      const question = draw(random);
      const { text, choices } = question;
      return {
        state: question,
        messages: [{ to: ['team'], text }],
        asks: [{ seat: 'team', ...(choices === undefined ? {} : { choices }) }],
      };
    },
    step(state: Question, actions: Readonly<Record<string, Action>>) {
      const isRight = actions['team']?.text.trim() === state.right;
      return { state, messages: [], asks: [], rewards: { team: isRight ? 1 : 0 } };
    },
  };
}

/** What a member of a team gets to see: the question, what others said, and what it is asked for. */
export interface Request {
  readonly question: string;
  /** Speeches of all that are in view, its earlier ones included. */
  readonly heard: readonly string[];
  /** Its earlier speeches. */
  readonly before: readonly string[];
  readonly ask: string;
  readonly random: Rng;
}

/** A member that answers by a script. */
export function speaker(name: string, answer: (request: Request) => string): Agent {
  return scripted(
    name,
    Object.assign((turn: Turn) => ({ text: answer(requestOf(turn)) }), { speaks: true as const }),
  );
}

function requestOf({ view: { seen: items }, rng: random }: Turn): Request {
  const texts = items.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const actions = items.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
  const speeches = items.flatMap((item) =>
    item.kind === 'action' ? [item.action.text] : item.kind === 'message' && item.from !== undefined ? [item.text] : [],
  );
  return { question: texts[0] ?? '', heard: speeches, before: actions, ask: texts.at(-1) ?? '', random };
}

/** One question to a team: whether it was answered rightly, and what its mind holds afterwards. */
export async function askTeam(
  environment: AnyEnvironment,
  settings: JsonObject,
  agents: Readonly<Record<string, Agent>>,
  seed: number,
): Promise<{ readonly paid: number; readonly mind: TeamMind | null }> {
  const spec = { name: 'team', kind: 'team', settings: { members: Object.keys(agents), ...settings } };
  const discussion = await builtInEnvironment('discussion');
  const team = teamAgent({ name: 'team', settings: readTeam(spec as never), members: agents, discussion });
  const { events, returns } = await playOne(environment, { team }, {}, seed);
  const mind = events.flatMap((event) => (event.kind === 'action' ? [readTeamMind(event.mind)] : [])).at(-1) ?? null;
  return { paid: returns['team'] ?? 0, mind };
}
