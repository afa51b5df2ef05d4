/** @file What is written about own moves: reasons after the fact that are learned before the move, and answers refined by feedback. */

import { type EpisodeEvent, type Learner, type Policy, scriptedPolicy, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import { locks } from '../locks.cases.ts';
import { turnsInLog } from '../log-turns.ts';
import type { Guidance } from '../recipe.ts';
import { samplesOf } from '../samples.ts';
import { FeedbackGuide, RationaleGuide } from './reflection.ts';

const seeds = Array.from({ length: 24 }, (_, i) => i);
const task = { digits: 1, locks: 4 };

function asBatch(logs: readonly (readonly EpisodeEvent[])[]) {
  const played = logs.flatMap((log, game) => samplesOf(log, ['opener'], { prompt: 0, game }).map((sample) => ({ sample, log })));
  return { update: 0, done: 0, played, episodes: played.map(({ sample }) => sample) };
}

const texts = new Map<number, string>();
const tokenOf = (text: string) => {
  const matchingSize = [...texts].find(([, known]) => known === text)?.[0] ?? texts.size;
  texts.set(matchingSize, text);
  return matchingSize;
};

/** A learner that writes: what it reads is one token, and what it writes another. */
function writing(policy: Policy): Learner {
  const row = (read: string, text: string): TokenRow => ({ tokens: [tokenOf(read), tokenOf(text)], mask: [0, 1] });
  return {
    ...new Tabular(),
    id: 'writing',
    policy: () => policy,
    rowOf: (turn: Parameters<NonNullable<Learner['rowOf']>>[0], text: string) => row(JSON.stringify(turn.view.seen), text),
    rowFor: (_: unknown, text: string) => row('', text),
    logprobs: async (rows: readonly TokenRow[]) => rows.map(() => [0, -1]),
  } as unknown as Learner;
}

const logsOf = async () => {
  const table = new Tabular().policy();
  const logs = await rollout(locks, { opener: table }, { seeds, task });
  // As one that writes would have left it in its logs.
  return logs.map((log) =>
    log.map((event) => (event.kind === 'action' ? { ...event, calls: [{ promptTokenIds: [1], tokenIds: [2], logprobs: [-1] }] } : event)),
  ) as unknown as typeof logs;
};

const partsOf = (learner: Learner, policy: Policy, guidance: Guidance, teachers: readonly Policy[]) => ({
  ...{ environment: locks, learner, policy, others: {}, guidance, teachers, seed: 1 },
});

describe('rationales', () => {
  const guidance: Guidance = { kind: 'rationale', teachers: [], share: 1 };
  const asked: string[] = [];
  const writer = scriptedPolicy('writer', ({ view }) => {
    const last = view.seen.at(-1);
    asked.push(JSON.stringify(view.seen));
    return { text: `It looked fine after ${last?.kind === 'message' ? last.text.split('\n')[0] : ''}`.replace(/You answered: \w/, 'all.') };
  });

  it('are trained before their move, without the question or the outcome in the row', async () => {
    const policy = scriptedPolicy('own', () => ({ text: 'a' }));
    const batch = asBatch(await logsOf());
    const { episodes = [], figures } = await new RationaleGuide(partsOf(writing(policy), policy, guidance, [writer])).lessons(batch);
    expect(figures).toEqual({ rationales: 24 });
    for (const [i, { turns, returned }] of episodes.entries()) {
      const [move] = turnsInLog(batch.played[i]!.log, ['opener']);
      expect(texts.get(turns[0]!.written[0]!)).toBe(`It looked fine after all. ${move!.action.text}`);
      expect(texts.get(turns[0]!.read[0]!)).toBe(JSON.stringify(move!.turn.view.seen));
      expect([returned, turns[0]!.reward]).toEqual([batch.episodes[i]!.returned, batch.episodes[i]!.turns[0]!.reward]);
    }
    expect(asked.filter((item) => /"reward"|"end"|returns/.test(item))).toEqual([]);
  });

  it('are dropped if they name another move, and tables train on plain moves', async () => {
    const policy = scriptedPolicy('own', () => ({ text: 'a' }));
    const batch = asBatch(await logsOf());
    const all = scriptedPolicy('all', () => ({ text: 'a b c d' }));
    const dropped = await new RationaleGuide(partsOf(writing(policy), policy, guidance, [all])).lessons(batch);
    expect([dropped.figures, dropped.episodes]).toEqual([{ rationales: 0 }, batch.episodes]);
    const table = new Tabular();
    expect(await new RationaleGuide(partsOf(table, table.policy(), guidance, [writer])).lessons(batch)).toEqual({
      figures: { rationales: 0 },
    });
  });
});

describe('feedback', () => {
  it('keeps a refined answer only if its episode ends better', async () => {
    const table = new Tabular();
    const policy = table.policy();
    const logs = await rollout(locks, { opener: policy }, { seeds, task });
    const guidance: Guidance = { kind: 'feedback', teachers: [], share: 1, tries: 1, heed: 1 };
    const by = async (script: string) => {
      const teacher = scriptedPolicy(script, locks.scripts![script] ?? (() => ({ text: 'e' })));
      return new FeedbackGuide(partsOf(table, policy, { ...guidance, heed: script === 'keyholder' ? 1 : 0 }, [teacher])).lessons(
        asBatch(logs),
      );
    };
    const failed = logs.filter((log) => (log.at(-1) as { returns: Record<string, number> }).returns['opener'] === 0);
    const { shown = [], figures } = await by('keyholder');
    expect(figures).toMatchObject({ tried: 24, kept: failed.length });
    const key = ({ tokens }: TokenRow) => Array.from(tokens).join(' ');
    const wanted = failed.map((log) => {
      const { turn } = turnsInLog(log, ['opener'])[0]!;
      return key(table.rowOf(turn, (locks.scripts!['keyholder']!(turn) as { text: string }).text));
    });
    expect(shown.map(key)).toEqual(wanted);
    // Feedback that is not a move leaves the learner to its own second try: what is kept is what luck made better, and no more.
    const lucky = await by('nobody');
    expect(lucky.figures!['kept']).toBeLessThan(failed.length / 2);
  });

  it('trains on feedback and refinements first, then has the learner give feedback (SELF)', async () => {
    const guidance: Guidance = { kind: 'feedback', teachers: ['mentor'], share: 1, tries: 1, skills: 0.5 };
    const keyholder = locks.scripts!['keyholder']!;
    const asked: string[] = [];
    const says = (name: string) =>
      scriptedPolicy(name, (turn) => {
        const last = turn.view.seen.at(-1);
        const text = last?.kind === 'message' ? last.text : '';
        if (text.startsWith('You answered')) asked.push(name);
        return text.startsWith('You answered') ? { text: `${name} says so` } : keyholder(turn);
      });
    const [policy, mentor] = [says('own'), says('mentor')];
    const batch = asBatch(await logsOf());
    const lessonsAt = (done: number) => new FeedbackGuide(partsOf(writing(policy), policy, guidance, [mentor])).lessons({ ...batch, done });
    const { shown: first = [], figures } = await lessonsAt(0);
    expect(new Set(asked.splice(0))).toEqual(new Set(['mentor']));
    expect(figures!['kept']).toBeGreaterThan(0);
    expect(figures!['taught']).toBe(2 * figures!['kept']!);
    expect(first.map(({ tokens }) => texts.get(tokens[1]!))).toContain('mentor says so');
    const { shown: later = [], figures: after } = await lessonsAt(0.5);
    expect(new Set(asked)).toEqual(new Set(['own']));
    expect([after!['taught'], later.length]).toEqual([0, after!['kept']]);
  });
});
