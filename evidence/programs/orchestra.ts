/**
 * @file A stream of eight jobs, each the same hidden computation on another number. Members err in two of five jobs. A tool is exact,
 * but its writer errs in a third of its programs, which the job's worked example can reveal. Scripts replace the models.
 *
 * Options: tools ("on" or "off"), seed. Prints the share of right jobs in 20 streams, the speeches per stream, and how often tools were
 * written and used.
 */

import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Action, type AnyEnvironment, type Json, type Rng, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { playOne } from './_play.ts';
import { scripts } from './_stages.ts';

const [streams, jobs] = [20, 8];
const [handError, writerError] = [0.4, 1 / 3];

type State = { readonly factor: number; readonly shift: number; readonly numbers: readonly number[]; readonly right: number };

const resultOf = ({ factor, shift }: Pick<State, 'factor' | 'shift'>, number: number) => (factor * number + shift) % 97;
const jobText = (state: State) =>
  `Job: compute the checksum of ${state.numbers[0]} (${state.factor} times it plus ${state.shift}, modulo 97). For 12 it is ${resultOf(state, 12)}.`;

const workshop: AnyEnvironment = {
  id: 'workshop@1',
  about: { summary: 'Jobs that share a computation.', tasks: [{}], turns: jobs },
  parameters: {},
  task: () => ({}),
  seats: () => ['team'],
  start(_: object, rng: Rng) {
    const numbers = Array.from({ length: jobs }, () => 100 + rng.int(900));
    const state: State = { factor: 3 + rng.int(40), shift: rng.int(97), numbers, right: 0 };
    return { state, messages: [{ to: ['team'], text: jobText(state) }], asks: [{ seat: 'team' }] };
  },
  step(before: State, actions: Readonly<Record<string, Action>>) {
    const isRight = actions['team']?.text.trim() === String(resultOf(before, before.numbers[0]));
    const state: State = { ...before, numbers: before.numbers.slice(1), right: before.right + (isRight ? 1 : 0) };
    const isOver = state.numbers.length === 0;
    return {
      state,
      messages: isOver ? [] : [{ to: ['team'], text: jobText(state) }],
      asks: isOver ? [] : [{ seat: 'team' }],
      ...(isOver ? { rewards: { team: state.right / jobs } } : {}),
    };
  },
};

/** The latest job in view. */
function jobIn({ view }: Turn) {
  const text = view.seen.flatMap((item) => (item.kind === 'message' && item.text.startsWith('Job:') ? [item.text] : [])).at(-1) ?? '';
  const [number = 0, factor = 0, shift = 0] = (text.match(/\d+/g) ?? []).map(Number);
  return { number, factor, shift };
}

function byHand(turn: Turn): number {
  const job = jobIn(turn);
  const exact = resultOf(job, job.number);
  return turn.rng.next() < handError ? (exact + 1 + turn.rng.int(96)) % 97 : exact;
}

const speaker = (name: string, answer: (turn: Turn, ask: string) => string) =>
  scripted(
    name,
    Object.assign((turn: Turn) => ({ text: answer(turn, askIn(turn)) }), { speaks: true as const }),
  );

function askIn({ view }: Turn): string {
  const last = view.seen.at(-1);
  return last?.kind === 'message' ? last.text : '';
}

/** Uses the tool, wants one where it may, and else asks both members and takes what two of three say. */
const lead = speaker('lead', (turn, ask) => {
  if (ask.includes('Write down the facts')) return 'Plan: one job after the other.';
  if (ask.includes('There is no progress')) return 'Plan: go on.';
  const output = /Output checksum: (\d+)/.exec(ask)?.[1];
  if (output !== undefined) return `Progress: yes\nDone: yes\nAnswer: ${output}`;
  if (ask.includes('Tools of the team: checksum')) return `Progress: yes\nUse checksum: ${jobIn(turn).number}`;
  const refusals = ask.split('was refused').length - 1;
  if (ask.includes('"Make NAME') && refusals < 2) return 'Progress: yes\nNext: Ben\nMake checksum: the checksum of a number';
  const results = turn.view.seen.flatMap((item) =>
    item.kind === 'message' && item.from !== undefined ? (/Result: (\d+)/.exec(item.text)?.[1] ?? []) : [],
  );
  if (results.length < 2)
    return `Progress: yes\nNext: ${['Ben', 'Cleo'][results.length]}\nTask: compute the checksum of ${jobIn(turn).number}`;
  const answers = [...results, String(byHand(turn))];
  return `Progress: yes\nDone: yes\nAnswer: ${answers.find((item, i) => answers.indexOf(item) < i) ?? answers[2]}`;
});

const worker = (name: string) =>
  speaker(name, (turn, ask) => {
    if (!ask.includes('write a tool')) return `Result: ${byHand(turn)}`;
    const { factor, shift } = jobIn(turn);
    const slip = turn.rng.next() < writerError ? 1 : 0;
    return `\`\`\`js\nreturn (${factor} * input + ${shift + slip}) % 97;\n// test: 12 -> ${resultOf({ factor, shift }, 12)}\n\`\`\``;
  });

export default async function run({ tools = 'on', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const spec = {
    name: 'team',
    kind: 'team',
    settings: { protocol: 'orchestrator', members: ['lead', 'Ben', 'Cleo'], ...(tools === 'on' ? {} : { off: ['tools'] }) },
  };
  const members = { lead: stage.player(lead), Ben: stage.player(worker('Ben')), Cleo: stage.player(worker('Cleo')) };
  const discussion = await builtInEnvironment('discussion');
  const acted = { toolsMade: 0, toolsRefused: 0, toolsUsed: 0, toolsReused: 0 };
  let [right, speeches] = [0, 0];
  await forEachOf(Array.from({ length: streams }), async (_, stream) => {
    const team = teamAgent({ name: 'team', settings: readTeam(spec), members, discussion });
    const { events, returns } = await playOne(workshop, { team }, {}, Number(seed) * 1000 + stream);
    right += (returns['team'] ?? 0) / streams;
    const minds = events.flatMap((event) => (event.kind === 'action' ? [readTeamMind(event.mind)] : []));
    for (const mind of minds) speeches += (mind?.discussion.filter(({ kind }) => kind === 'action').length ?? 0) / streams;
    for (const name of Object.keys(acted) as (keyof typeof acted)[]) acted[name] += minds.at(-1)?.acted[name] ?? 0;
  });
  return { right, speeches, acted };
}
