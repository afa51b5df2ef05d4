/** @file The texts of a new agent, scorer or engine: programs, each small enough to read whole, with a test that runs under "node --test". */

import { camel, title } from './templates.ts';

/** A generated program. Programs end in .mts, which Node treats as modules in every package, including "commonjs" ones. */
export interface Wanted {
  readonly name: string;
  /** The target path. */
  readonly folder: string;
}

export function agentText({ name }: Wanted): string {
  return `/** @file ${title(name)}: a custom agent. It sees what its seat sees, and answers. */

import { type Agent, scripted } from 'ludus-agents';

/** Takes the first listed move, or says that there is none. */
export const ${camel(name)}: Agent = scripted('${name}', ({ ask }) => ({ text: ask.choices?.[0] ?? 'I have nothing to say.' }));
`;
}

export function agentTest({ name }: Wanted): string {
  return `/** @file Tests of the agent ${name}. Run them with "node --test ${name}.test.mts". */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EpisodeEvent, loadEnvironment, play, scripted } from 'ludus-agents';
import { ${camel(name)} } from './${name}.mts';

test('plays by the rules', async () => {
  const poker = await loadEnvironment('kuhn-poker');
  const random = scripted('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));
  for (let seed = 0; seed < 20; seed++) {
    let end: EpisodeEvent | undefined;
    for await (const event of play(poker, { first: ${camel(name)}, second: random }, { seed })) end = event;
    assert.equal(end?.kind === 'end' ? end.reason : null, 'over');
    assert.equal(end?.kind === 'end' ? (end.penalties.first ?? 0) : null, 0);
  }
});
`;
}

export function scorerText({ name }: Wanted): string {
  return `/** @file ${title(name)}: a custom scorer. It reads the log of an episode and returns a score for each seat. */

import type { Scorer } from 'ludus-agents';

/** The share of a seat's answers that are short: at most eight words. */
export const ${camel(name)}: Scorer = {
  name: '${name}',
  tier: 'rule',
  async score({ episodes }) {
    return episodes.flatMap(({ id, events }) => {
      const start = events[0];
      const seats = start?.kind === 'start' ? start.seats : [];
      return seats.map((seat) => {
        const answers = events.flatMap((event, i) => (event.kind === 'action' && event.seat === seat ? [{ i, text: event.action.text }] : []));
        const isShort = (text: string) => text.split(/\\s+/).length <= 8;
        const long = answers.find(({ text }) => !isShort(text));
        return {
          name: '${name}',
          seat,
          // Missing is null with a reason, never 0.
          value: answers.length === 0 ? null : answers.filter(({ text }) => isShort(text)).length / answers.length,
          status: answers.length === 0 ? ('not-applicable' as const) : ('ok' as const),
          scale: [0, 1] as const,
          evidence: long === undefined ? [] : [{ episode: id, event: long.i, quote: long.text, supports: false }],
          cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 },
        };
      });
    });
  },
};
`;
}

export function scorerTest({ name }: Wanted): string {
  return `/** @file Tests of the scorer ${name}. Run them with "node --test ${name}.test.mts". */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EpisodeEvent, loadEnvironment, play, rng, scripted } from 'ludus-agents';
import { ${camel(name)} } from './${name}.mts';

test('distinguishes short and long answers', async () => {
  const poker = await loadEnvironment('kuhn-poker');
  const brief = scripted('brief', ({ ask }) => ({ text: ask.choices?.[0] ?? '' }));
  const wordy = scripted('wordy', ({ ask }) => ({ text: \`I have thought about this for a long time, and I say \${ask.choices?.[0] ?? ''}\` }));
  const events: EpisodeEvent[] = [];
  for await (const event of play(poker, { first: brief, second: wordy }, { seed: 1 })) events.push(event);
  const scores = await ${camel(name)}.score({ episodes: [{ id: 'one', events }], rng: rng(1) }, new AbortController().signal);
  assert.deepEqual(Object.fromEntries(scores.map(({ seat, value }) => [seat, value])), { first: 1, second: 0 });
});
`;
}

export function engineText({ name }: Wanted): string {
  return `/** @file ${title(name)}: a custom engine. It asks for edits of the best texts so far, and keeps those that pass the gate. */

import { parameter } from 'ludus-agents';
import { type Engine, holdChild, selectScore } from 'ludus-agents/learning';

export const ${camel(name)}: Engine = {
  name: '${name}',
  method: 'hill climbing behind the gate',
  source: 'custom',
  differs: 'one edit at a time',
  // What --set NAME=VALUE may change.
  parameters: { edits: parameter.integer({ min: 1, max: 8, default: 1, description: 'edits of one proposal' }) },

  // It may loop for ever: the evaluator ends it when the budget is spent.
  async *run(parts, settings) {
    const { edits = 1 } = (settings ?? {}) as { readonly edits?: number };
    let best = parts.start;
    parts.archive.add(best);
    yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    for (let step = 0; ; step++) {
      const [child] = await parts.bench.propose(parts.proposer, { parent: best, step, edits, tried: parts.archive.tried });
      if (child === undefined || !parts.archive.add(child)) continue;
      yield { kind: 'candidate', candidate: child };
      const verdict = await holdChild(parts, best, child);
      yield { kind: 'verdict', candidate: child.id, against: best.id, verdict };
      if (!verdict.accept) continue;
      best = child;
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    }
  },
};
`;
}

export function engineTest({ name }: Wanted): string {
  return `/** @file Tests of the engine ${name}. Run them with "node --test ${name}.test.mts". */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from 'ludus-agents';
import { gateRules, improveSteps, type Proposer, type TrialEnvironment } from 'ludus-agents/learning';
import { ${camel(name)} } from './${name}.mts';

const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

// A ground where a text is as good as the helpful lines in it.
const ground: TrialEnvironment = {
  identity: 'helpful lines',
  play: async ({ texts = {} }) => ({ score: ['Look first.', 'Be kind.'].filter((line) => texts['instruction']?.includes(line)).length / 2, status: 'ok', cost }),
  lesson: async () => ({ episode: { id: 'none', events: [] }, seat: 'one', scores: [] }),
};

// Adds a line by chance; two of the four help.
const proposer: Proposer = {
  name: 'lines',
  improver: ({ rng }) => ({
    name: 'lines',
    improve: async (spec) => {
      const line = rng.pick(['Look first.', 'Be kind.', 'Hurry.', 'Shout.']);
      return [{ ...spec, texts: { ...spec.texts, instruction: \`\${spec.texts?.['instruction'] ?? ''} \${line}\` } }];
    },
  }),
};

test('finds both lines that help, and says so on fresh tasks', async () => {
  const improvement = {
    ...{ engine: '${name}', settings: {}, proposer: 'lines', seed: 1, budget: { calls: 600 }, repeats: 1, gate: gateRules.ours, locked: [] },
    tasks: { propose: 8, select: 24, report: 24 },
    start: { name: 'one', kind: 'scripted', texts: { instruction: 'Play.' } },
  };
  const course = improveSteps(improvement, { store: memoryStore(), run: 'run', engine: ${camel(name)}, ground, proposer, blind: proposer });
  let next = await course.next();
  while (next.done !== true) next = await course.next();
  assert.equal(next.value.start.report, 0);
  assert.equal(next.value.best.report, 1);
});
`;
}
