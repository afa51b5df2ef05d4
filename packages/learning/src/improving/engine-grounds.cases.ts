/**
 * @file The three grounds for engines that change no lines: `sweep` has values to try, `team-policy` a team whose members have one line each,
 * `together` weights that choose a habit, which acts like a line. Random edits have the same calls, and change what can be changed there.
 */

import { type Agent, type AgentSpec, canonical, type Learner, type Rng, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { Tabular } from '../learners/index.ts';
import { CheckpointJournal } from '../prompts/checkpoint-journal.ts';
import { componentsOf } from '../prompts/components.ts';
import { lightStore } from '../prompts/demo/demo.cases.ts';
import type { Proposer } from '../prompts/engine.ts';
import { teamIn } from '../prompts/engines/teams.ts';
import { togetherWith } from '../prompts/engines/together.ts';
import { blindLines, editing, linesIn, toggle } from '../prompts/proposers/lines.ts';
import { trainWith } from '../prompts/proposers/train.ts';
import type { ImproveReport } from '../prompts/report.ts';
import { changeTeam } from '../prompts/team.ts';
import { type Ground, type GroundRun, groundReport, trialsOf } from './grounds.cases.ts';

type EngineRun = Omit<GroundRun, 'trials' | 'parts'>;

/** An engine on a ground as it needs it, with random edits at equal cost next to it. */
export const engineGrounds: Readonly<Record<string, (ground: Ground, run: EngineRun) => Promise<ImproveReport>>> = {
  sweep(ground, run) {
    // Every line alone, put in or taken out. Random edits toggle any line of what they have.
    const component = ground.lines[0]!.component;
    const values = ground.lines.map((line) => {
      const texts = { ...ground.start.texts };
      toggle(texts, line);
      return texts[component]!;
    });
    const parts = { choices: { [component]: values }, blind: { ...blindLines(ground.lines), chooses: true } };
    return groundReport(ground, { ...run, trials: trialsOf(ground), parts });
  },

  'team-policy'(ground, run) {
    const team = teamGround(ground);
    return groundReport(team, { ...run, trials: trialsOf(team), parts: { blind: blindMembers(team) } });
  },

  async together(ground, run) {
    const shelf = await CheckpointJournal.open(lightStore(), 'run', () => habitual(ground));
    const trained = weightsGround(ground, shelf);
    return groundReport(trained, { ...run, trials: trialsOf(trained), parts: { engine: togetherWith(trainWith(shelf, 0.6)) } });
  },
};

// A team: each member has one line, and only those who take part are heard.

const graph = 'setting/team';

function teamGround(ground: Ground): Ground {
  const component = ground.lines[0]!.component;
  const briefs = Object.fromEntries(ground.lines.map(({ line }, i) => [`m${i}`, line]));
  const ownLines = linesIn(ground.start.texts?.[component]);
  const members = Object.keys(briefs).filter((name) => ownLines.includes(briefs[name]!));
  const team = { members: ['lead', ...members], links: members.map((name) => [name, 'lead']), answers: 'lead' };
  const words = ownLines.filter((line) => !Object.values(briefs).includes(line)).join('\n');
  const heard = (spec: AgentSpec): AgentSpec => {
    const { members: present } = teamIn(componentsOf(spec));
    return {
      ...ground.start,
      texts: { ...ground.start.texts, [component]: [words, ...present.flatMap((name) => briefs[name] ?? [])].join('\n') },
    };
  };
  return {
    ...ground,
    start: {
      ...ground.start,
      texts: {
        ...ground.start.texts,
        [component]: words,
        ...Object.fromEntries(Object.entries(briefs).map(([name, line]) => [`member/${name}`, line])),
      },
      settings: { team },
    },
    agents: (spec, task) => ground.agents(heard(spec), task),
  };
}

/** Lets a member in, or out, by dice. */
function blindMembers({ start }: Ground): Proposer {
  const names = Object.keys(start.texts ?? {}).flatMap((name) => (name.startsWith('member/') ? [name.slice('member/'.length)] : []));
  return {
    name: 'blind',
    improver: (round) =>
      editing('blind', round, (texts, dice) => {
        const team = teamIn(texts);
        const member = dice.pick(names);
        const change = team.members.includes(member)
          ? ({ op: 'remove', member } as const)
          : ({ op: 'add', member, heardBy: team.answers } as const);
        texts[graph] = canonical(changeTeam(team, change));
      }),
  };
}

// Weights: a table chooses one of a few habits for the kind of task, once for each play.

function choice(kind: string, habits: readonly string[], dice: Rng): Turn {
  const observations = [{ kind: 'message' as const, to: ['habit'], text: kind }];
  return { view: { seat: 'habit', seen: observations }, ask: { seat: 'habit', choices: habits }, rng: dice };
}

/** A learner that has met all kinds in one order. */
function habitual({ habits }: Ground): Learner {
  const learner = new Tabular({ id: 'local/habits' });
  void learner.policy().act(Object.entries(habits).map(([kind, lines]) => choice(kind, lines, rng(0))));
  return learner;
}

function weightsGround(ground: Ground, shelf: CheckpointJournal): Ground {
  const component = ground.lines[0]!.component;
  return {
    ...ground,
    start: { ...ground.start, model: 'local/habits' },
    async agents(spec, task) {
      const policy = (await shelf.learner(spec.model)).policy();
      const { kind } = task as { readonly kind?: string };
      const mode = kind !== undefined && Object.hasOwn(ground.habits, kind) ? kind : 'any';
      const cast = await ground.agents(spec, task);
      let player: Agent | undefined;
      const first: Agent = {
        name: spec.name,
        async act(turn, signal) {
          if (player !== undefined) return player.act(turn, signal);
          const [habit] = await policy.act([choice(mode, ground.habits[mode]!, turn.rng)]);
          const texts = { ...spec.texts, [component]: `${spec.texts?.[component] ?? ''}\n${habit?.action.text ?? ''}` };
          player = (await ground.agents({ ...spec, texts }, task))[ground.seat]!;
          const reply = await player.act(turn, signal);
          const calls = 'calls' in reply ? (reply.calls ?? []) : [];
          return { ...reply, calls: [...calls, ...(habit?.calls ?? [])] } as typeof reply;
        },
      };
      return { ...cast, [ground.seat]: first };
    },
  };
}
