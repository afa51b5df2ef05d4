/**
 * @file Duels of 16 steps against one of three kinds of rivals. At each step, a range of 1 to 6 and a posture are shown. The posture is
 * that of the rival's kind in six of ten steps, and the right answer to a range depends on the kind. Imitators are count tables of 30
 * duels by experts, who know the kind and err in one of ten steps.
 *
 * Options: arm ("on": three specialists, one per kind, and a strategist that follows the specialist of the most frequent posture so
 * far; "pooled": one imitator of all duels, which sees range and posture; "chance": a random specialist), duels, seed. Prints the share
 * of right steps, and how often a specialist's proposal was taken.
 */

import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Action, Agent, AnyEnvironment, Json, Rng, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { textsIn } from './_readers.ts';

const [steps, ranges, taught] = [16, 6, 30];
const kinds = ['charging', 'hiding', 'circling'];
const moves = ['[strike]', '[guard]', '[feint]', '[wait]'];

/** By kind and range: the right move. */
type Rules = readonly (readonly string[])[];
type State = { readonly kind: number; readonly range: number; readonly at: number; readonly right: number };

function duelOf(rules: Rules): AnyEnvironment {
  const asks = [{ seat: 'fighter', choices: moves }];
  const sightMessages = (kind: number, range: number, random: Rng) => {
    const posture = random.next() < 0.6 ? kinds[kind] : random.pick(kinds);
    return [{ to: ['fighter'], text: `The rival is ${posture}. Range ${range}.` }];
  };
  return {
    id: 'duel@1',
    about: { summary: 'A duel.', tasks: [{}], turns: steps, complete: true },
    parameters: {},
    task: () => ({}),
    seats: () => ['fighter'],
    start(_: object, random: Rng) {
      const state: State = { kind: random.int(kinds.length), range: random.int(ranges), at: 0, right: 0 };
      return { state, messages: sightMessages(state.kind, state.range, random), asks };
    },
    step(before: State, actions: Readonly<Record<string, Action>>, random: Rng) {
      const isRight = actions['fighter']?.text === rules[before.kind]?.[before.range];
      const state: State = { ...before, range: random.int(ranges), at: before.at + 1, right: before.right + (isRight ? 1 : 0) };
      if (state.at === steps) return { state, messages: [], asks: [], rewards: { fighter: state.right / steps } };
      return { state, messages: sightMessages(state.kind, state.range, random), asks };
    },
  };
}

function sightIn(turn: Turn): { readonly posture: string; readonly range: number } {
  const [, posture = '', range = ''] =
    /The rival is (\w+)\. Range (\d)/.exec(textsIn(turn).findLast((text) => text.startsWith('The rival')) ?? '') ?? [];
  return { posture, range: Number(range) };
}

interface Demonstration {
  readonly kind: number;
  readonly posture: string;
  readonly range: number;
  readonly move: string;
}

function demonstrationsOf(rules: Rules, random: Rng): readonly Demonstration[] {
  return Array.from({ length: taught }, (_, duel) => duel % kinds.length).flatMap((kind) =>
    Array.from({ length: steps }, () => {
      const [range, posture] = [random.int(ranges), random.next() < 0.6 ? kinds[kind] : random.pick(kinds)];
      return { kind, posture, range, move: random.next() < 0.1 ? random.pick(moves) : rules[kind][range] };
    }),
  );
}

/** A table of counts: the move that the demonstrations made most often in what it sees. It is a policy, and says nothing. */
function imitator(
  name: string,
  rows: readonly Demonstration[],
  sees: (row: { readonly posture: string; readonly range: number }) => string,
): Agent {
  const table = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const counts = table.get(sees(row)) ?? new Map<string, number>();
    table.set(sees(row), counts.set(row.move, (counts.get(row.move) ?? 0) + 1));
  }
  return scripted(name, (turn: Turn) => {
    const counts = [...(table.get(sees(sightIn(turn))) ?? [])].sort((a, b) => b[1] - a[1]);
    return { text: counts[0]?.[0] ?? turn.rng.pick(moves) };
  });
}

const strategist = (pick: (turn: Turn) => string) =>
  scripted(
    'strategist',
    Object.assign((turn: Turn) => ({ text: `Take: ${pick(turn)}` }), { speaks: true as const }),
  );

/** The posture that was seen most often in this duel. */
function mostSeen(turn: Turn): string {
  const postures = textsIn(turn).flatMap((text) => /The rival is (\w+)/.exec(text)?.[1] ?? []);
  const count = (kind: string) => postures.filter((posture) => posture === kind).length;
  return [...kinds].sort((a, b) => count(b) - count(a))[0] ?? '';
}

export default async function run({ arm = 'on', duels = 40, seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'rules');
  const rules = kinds.map(() => Array.from({ length: ranges }, () => random.pick(moves)));
  const rows = demonstrationsOf(rules, random);
  const specialists = kinds.map((kind, i) =>
    imitator(
      kind,
      rows.filter((row) => row.kind === i),
      ({ range }) => String(range),
    ),
  );
  const pooled = [imitator('pooled', rows, ({ posture, range }) => `${posture} ${range}`)];
  const lead = strategist(arm === 'pooled' ? () => 'pooled' : arm === 'chance' ? (turn) => turn.rng.pick(kinds) : mostSeen);
  const members = { lead, ...Object.fromEntries((arm === 'pooled' ? pooled : specialists).map((agent) => [agent.name, agent])) };
  const discussion = await builtInEnvironment('discussion');
  const spec = { name: 'fighter', kind: 'team', settings: { protocol: 'specialists', members: Object.keys(members) } };
  let [right, advised] = [0, 0];
  for (let duel = 0; duel < Number(duels); duel++) {
    const team = teamAgent({ name: 'fighter', settings: readTeam(spec), members, discussion });
    const { events, returns } = await playOne(duelOf(rules), { fighter: team }, {}, Number(seed) * 1000 + duel);
    right += (returns['fighter'] ?? 0) / Number(duels);
    const last = events.findLast((event) => event.kind === 'action');
    advised += arm === 'pooled' ? 0 : ((last?.kind === 'action' ? readTeamMind(last.mind)?.acted['taken'] : undefined) ?? 0);
  }
  return { right, taken: advised };
}
