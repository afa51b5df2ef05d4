/** @file Four demonstrations for a start, without a key or a model. */

import { gallery, readScene } from '@ludus-agents/agents/internal/personas/index';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { arenaRun, runArena } from '@ludus-agents/evaluation/internal/arena';
import { evaluate, planEvaluation, putEvaluation } from '@ludus-agents/evaluation/internal/evaluate';
import { builtInSuite, suiteRun } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { demoRun } from '@ludus-agents/evaluation/internal/suites';
import type { AgentSpec, Json, Seat } from '@ludus-agents/kernel/internal/core/index';
import { NotFound } from '../app.ts';
import type { DemoShown, StartedRun } from './api.ts';
import type { StudioContext } from './context.ts';
import { standInKind } from './seat-agents.ts';

interface Demo extends Omit<DemoShown, 'id'> {
  begin(studio: StudioContext): Promise<StartedRun>;
}

const demos: Readonly<Record<string, Demo>> = {
  poker: {
    title: 'Self-play poker',
    about: 'An optimal strategy plays twelve hands of Kuhn poker against itself. You see both hands.',
    begin: async ({ live }) => ({
      episode: await live.begin({
        environment: 'kuhn-poker',
        task: { rounds: 12 },
        cast: { first: 'scripted:equilibrium', second: 'scripted:equilibrium' },
        pace: 900,
      }),
    }),
  },
  scene: {
    title: 'A persona scene',
    about: 'Three dinner guests, each with a goal and a secret, talk while a narrator moves the scene along.',
    begin: dinner,
  },
  desk: {
    title: 'A support-desk test',
    about: 'A support agent and several naive ones serve difficult customers. The state of the database decides who passes.',
    begin: deskTest,
  },
  arena: {
    title: 'An arena',
    about: 'Four poker strategies play each other in both seats until the ranking is clear, or for 400 games.',
    begin: arena,
  },
};

export const demosShown: readonly DemoShown[] = Object.entries(demos).map(([id, { title, about }]) => ({ id, title, about }));

export async function beginDemo(id: string, studio: StudioContext): Promise<StartedRun> {
  const demo = Object.hasOwn(demos, id) ? demos[id] : undefined;
  if (demo === undefined) throw new NotFound(`Unknown demonstration "${id.slice(0, 40)}". Available: ${Object.keys(demos).join(', ')}.`);
  return demo.begin(studio);
}

const dinnerScene = {
  name: 'dinner',
  setting: 'The garden room of Hollow House, after the soup.',
  topic: 'everything but the house',
  narrator: true,
  turns: 24,
  places: ['garden room', 'hall'],
  objects: { notebook: 'tomas', port: 'garden room' },
  terms: {
    pages: 'to send the first chapter on Monday',
    loan: 'to lend Tomas four thousand until Friday',
    tell: 'to tell your friends before the coffee',
  },
  characters: [
    {
      persona: 'beatrix',
      goal: 'Have Tomas promise the first chapter.',
      marks: ['sold the house'],
      conditions: [{ kind: 'word', who: 'tomas', term: 'pages' }],
    },
    {
      persona: 'tomas',
      goal: 'Find someone who lends you four thousand until Friday.',
      marks: ['at cards'],
      conditions: [{ kind: 'word', who: 'ines', term: 'loan' }],
    },
    {
      persona: 'ines',
      goal: 'Get Beatrix to tell her friends herself.',
      marks: ['going blind'],
      conditions: [{ kind: 'word', who: 'beatrix', term: 'tell' }],
    },
  ],
};

async function dinner({ live }: StudioContext): Promise<StartedRun> {
  const { task, personas } = await readScene(dinnerScene as Json, async (name) => gallery[name]!);
  const cast: Record<Seat, AgentSpec | string> = { narrator: 'scripted:narrator' };
  for (const [seat, persona] of Object.entries(personas)) cast[seat] = { name: persona.name, kind: standInKind, persona: persona as Json };
  return { episode: await live.begin({ environment: 'social-scene', task, cast, pace: 1200 }) };
}

async function deskTest({ store, place, jobs }: StudioContext): Promise<StartedRun> {
  // Nothing is added to the user's runs.
  const run = demoRun(suiteRun(await builtInSuite('service-core')));
  const options = {
    suite: 'service-core',
    run,
    agents: ['scripted'],
    seeds: 2,
    store,
    cwd: place.cwd,
    trust: Trust.request,
    concurrency: 4,
  };
  const plan = await planEvaluation(options);
  const { agents, planned } = plan;
  await putEvaluation(store, plan);
  jobs.start({ run, title: 'A support-desk test', cast: agents.map(({ name }) => name), planned }, async ({ signal, tell }) => {
    await evaluate({ ...options, signal, onProgress: ({ played, before }) => tell(played + before) });
  });
  return { run };
}

async function arena({ store, place, jobs }: StudioContext): Promise<StartedRun> {
  const environment = await resolveEnvironment('kuhn-poker', place.cwd, Trust.request);
  const task = environment.task({}) as Json;
  const agents = ['scripted:equilibrium', 'scripted:honest', 'scripted:bold', 'random'].map((name): AgentSpec => ({ name, kind: name }));
  const games = 400;
  const run = demoRun(arenaRun({ environment, task, swiss: false }));
  jobs.start({ run, title: 'An arena', cast: agents.map(({ name }) => name), planned: games }, ({ signal, tell }) => {
    let [rounds, round] = [0, 0];
    return runArena({
      ...{ run, environment, task, agents, games, swiss: false, store, signal, trust: Trust.request, concurrency: 4 },
      onProgress({ played, before }) {
        // Every round counts from the start.
        if (played + before < round) rounds += round;
        round = played + before;
        tell(rounds + round);
      },
    });
  });
  return { run };
}
