import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { type Episode, type Json, rng, type Score, type Scorer, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { hostile } from '../../../../test/fuzz.ts';
import { randomEnvironment } from '../../../../test/random-environments.ts';
import { builtInScorer, scorerNames } from './index.ts';
import { inputOf, logsOf, never } from './logs.cases.ts';
import { stands } from './scorer.ts';

const scorers = await Promise.all(scorerNames().map(builtInScorer));
const personas = Object.values(gallery);

/** Everything any rule looks for, so that each has something to do on each log. */
const reference: Json = {
  facts: [1, 'the', '2025-06-01'],
  state: [{ at: 'outcome.agreed', is: true }],
  checklist: [{ says: 'i' }, { calls: 'get_order' }],
  secrets: ['K', 'say what you think about the weather today', { text: '1', weight: 2 }],
  ledger: [{ text: 'talk', allowed: [] }],
  acts: { check: 'status quo', bet: 'posturing', vote: 'violent' },
  permissions: { agent: ['get_order'] },
  injected: [{ calls: 'refund' }, { says: 'talk' }],
  questions: [{ ask: 'card', gold: 'bet' }],
};

/** What must hold of any score of any log. */
function problemsOf(score: Score, log: Episode): readonly string[] {
  const problems: string[] = [];
  if ((score.value === null) === (score.status === 'ok')) problems.push('value and status disagree');
  if (score.value !== null && !Number.isFinite(score.value)) problems.push('value is not finite');
  const [least, most] = score.scale ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (score.value !== null && (score.value < least - 1e-9 || score.value > most + 1e-9))
    problems.push(`value ${score.value} is off the scale`);
  if (score.evidence.some((evidence) => !stands(log, evidence))) problems.push('a quote does not stand');
  if (Object.values(score.parts ?? {}).some((part) => part !== null && !Number.isFinite(part))) problems.push('a part is not finite');
  if (score.provenance?.['hash'] === undefined) problems.push('no provenance');
  return problems.map((problem) => `${score.name} on ${log.id}: ${problem}`);
}

async function scoreAll(
  logs: readonly Episode[],
  withAll: boolean,
  by: readonly Scorer[] = scorers,
): Promise<{ problems: string[]; ok: Set<string> }> {
  const problems: string[] = [];
  const ok = new Set<string>();
  for (const [i, log] of logs.entries()) {
    const start = log.events[0];
    const seats = start?.kind === 'start' ? start.seats : [];
    const cast = Object.fromEntries(seats.map((seat, s) => [seat, personas[(i + s) % personas.length] as unknown as Json]));
    for (const scorer of by) {
      for (const score of await scorer.score(inputOf(log, withAll ? { personas: cast, reference } : {}), never)) {
        problems.push(...problemsOf(score, log));
        if (score.status === 'ok') ok.add(scorer.name);
      }
    }
  }
  return { problems, ok };
}

const seeds = [1, 2, 3].slice(0, amount(1, 3));

/** Rules that had something to say about some world: without it, the tests below would prove little. */
const applied = new Set<string>();

describe('rules on logs of every environment', () => {
  it.each(environmentNames())('never throw, quote only existing text, and stay on their scale: %s', async (name) => {
    const environment = await builtInEnvironment(name);
    for (const [i, task] of environment.about.tasks.entries()) {
      const logs = await logsOf(environment, task, seeds);
      // In later tasks, rules that had nothing to say so far.
      const by = i < amount(1, 100) ? scorers : scorers.filter((scorer) => !applied.has(scorer.name));
      const { problems, ok } = await scoreAll(logs, true, by);
      expect(problems).toEqual([]);
      for (const item of ok) applied.add(item);
      // Without a persona and a reference few rules apply, and all of them say so: a third of the environments shows it.
      if (i < amount(1, 100) && environmentNames().indexOf(name) % amount(3, 1) === 0)
        expect((await scoreAll(logs.slice(0, amount(1, 2)), false)).problems).toEqual([]);
    }
  });

  it('each apply somewhere, except those that need several logs', () => {
    // Unclear requests and articles that contradict each other are in desks of one's own, model calls and tools in no scripted log, and pass^k needs a
    // seat and many episodes.
    expect(
      scorerNames()
        .filter((name) => !applied.has(name))
        .sort(),
    ).toEqual(['clarity', 'expense', 'pairs', 'pass', 'tool-context']);
  });

  it('do not apply without the persona or reference that they need', async () => {
    const logs = await logsOf(await builtInEnvironment('social-scene'), {}, seeds);
    for (const name of [
      'style',
      'secrets',
      'ledger',
      'personality',
      'facts',
      'checklist',
      'memory',
      'injection',
      'permissions',
      'escalation',
      'state',
    ]) {
      const scorer = await builtInScorer(name);
      for (const log of logs)
        for (const score of await scorer.score(inputOf(log), never))
          expect([name, score.status, score.value]).toEqual([name, 'not-applicable', null]);
    }
  });

  it('apply to style, secrets, and the ledger with a persona and a reference', async () => {
    const { ok } = await scoreAll(await logsOf(await builtInEnvironment('social-scene'), {}, seeds), true);
    for (const name of ['style', 'secrets', 'ledger', 'scene', 'return', 'facts']) expect(ok, name).toContain(name);
  });
});

describe('rules on logs of random environments and hostile players', () => {
  it('never throw and quote only existing text', async () => {
    for (let salt = 0; salt < amount(3, 60); salt++) {
      const environment = randomEnvironment({
        salt,
        seats: 1 + (salt % 4),
        turns: 8,
        stop: 10,
        together: 40,
        talk: 50,
        break: salt % 5 === 0 ? 20 : 0,
      });
      const player = scriptedPolicy('hostile', ({ ask, rng: dice }) => ({ text: hostile(dice, ask.choices?.[0] ?? '[x]') }));
      const cast = Object.fromEntries(environment.seats({}).map((seat) => [seat, player]));
      const played = await rollout(environment, cast, { seeds: [salt] });
      expect((await scoreAll([{ id: `wild ${salt}`, events: played[0] ?? [] }], true)).problems).toEqual([]);
    }
  });

  it('score or omit a log that was cut anywhere, and never count it as 0', async () => {
    const [whole] = await logsOf(await builtInEnvironment('service-desk'), {}, [5]);
    const events = (whole as Episode).events;
    const dice = rng(3, 'cuts');
    for (let i = 0; i < amount(2, 20); i++) {
      const cut: Episode = { id: `cut ${i}`, events: events.slice(0, 1 + dice.int(events.length - 1)) };
      expect((await scoreAll([cut], true)).problems).toEqual([]);
      for (const name of ['return', 'standing', 'desk'])
        for (const score of await (await builtInScorer(name)).score(inputOf(cut), never)) expect([name, score.value]).toEqual([name, null]);
    }
  });

  it('do not throw on an empty log', async () => {
    expect((await scoreAll([{ id: 'empty', events: [] }], true)).problems).toEqual([]);
  });
});
