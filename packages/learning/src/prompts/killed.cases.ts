/**
 * @file A child process that improves into a store until it is killed: `node killed.cases.ts STORE CALLS_FILE ENGINE KILL_AT`.
 *
 * Every model call is written down before it is answered. At the call with the number KILL_AT of this process it kills itself instead, as
 * hard as can be; with 0 it goes on to its end and prints its report.
 */

import { appendFileSync } from 'node:fs';
import { codebreaker } from '@ludus-agents/environments/internal/codebreaker';
import { sqliteStore } from '@ludus-agents/store/internal/open-store';
import { addressOf } from './components.ts';
import { instructionDemo as demo, lawfulPlayer } from './demo/index.ts';
import type { Proposer } from './engine.ts';
import { builtInEngine } from './engines/index.ts';
import { createEpisodeTrials } from './episode-trials.ts';
import { defaults, improve } from './improve.ts';

const [path = '', callsFile = '', name = '', killAt = '0'] = process.argv.slice(2);
const store = await sqliteStore(path);
await store.putRun({ id: 'run', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });

let calls = 0;
const countCall = (what: string) => {
  if (++calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  appendFileSync(callsFile, `${what}\n`);
};

const ground = createEpisodeTrials({
  ...{ store, run: 'run', environment: codebreaker, tasks: demo.tasks, seat: demo.seat },
  agents: async (spec) => {
    const player = lawfulPlayer(spec);
    return {
      [demo.seat]: {
        name: 'breaker',
        act(turn, signal) {
          countCall(`${addressOf(spec)} ${turn.view.seen.length} ${turn.rng.int(2 ** 32)} ${turn.rng.int(2 ** 32)}`);
          return player.act(turn, signal);
        },
      },
    };
  },
});

/** A proposer is paid too. */
const paying = (proposer: Proposer): Proposer => ({
  name: proposer.name,
  improver: (round) => {
    const inner = proposer.improver(round);
    return {
      name: inner.name,
      improve(spec, lessons, signal) {
        countCall(`proposal ${addressOf(spec)} ${round.rng.int(2 ** 32)}`);
        return inner.improve(spec, lessons, signal);
      },
    };
  },
});

const { reflect, blind } = demo.proposers as { reflect: Proposer; blind: Proposer };
const course = improve(
  {
    ...{ ...defaults, engine: name, settings: {}, proposer: 'reflect', seed: 5, budget: { calls: 30 } },
    ...{ tasks: { propose: 4, select: 4, report: 2 }, start: demo.start },
  },
  { store, run: 'run', engine: builtInEngine(name), ground, proposer: paying(reflect), blind: paying(blind), concurrency: 1 },
);
for (let next = await course.next(); ; next = await course.next())
  if (next.done === true) {
    process.stdout.write(`${JSON.stringify(next.value)}\n`);
    break;
  }
await store.close();
