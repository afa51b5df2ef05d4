import { type Json, type JsonObject, type Rng, rng, type Score } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { coser, furina } from '../rubrics/role-play.ts';
import { sotopia } from '../rubrics/sotopia.ts';
import { createJudge } from './judge.ts';
import { episode, modelOf, persona, signal, validReply } from './judges.cases.ts';
import type { Rubric } from './rubric.ts';

type Damage = (reply: string, dice: Rng) => string;

/** Every object in a reply that carries a quote, with a way to replace it. */
function withOne(reply: string, dice: Rng, change: (item: Record<string, Json>) => void): string {
  const whole = JSON.parse(reply) as JsonObject;
  const matches: Record<string, Json>[] = [];
  const walk = (value: Json) => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value) && 'quote' in value) matches.push(value as Record<string, Json>);
    for (const child of Object.values(value)) walk(child as Json);
  };
  walk(whole);
  change(dice.pick(matches));
  return JSON.stringify(whole);
}

const damages: Readonly<Record<string, Damage>> = {
  cut: (reply, dice) => reply.slice(0, dice.int(reply.length - 1)),
  'cut from the front': (reply, dice) => reply.slice(1 + dice.int(reply.length - 1)),
  'another word': (reply, dice) =>
    withOne(
      reply,
      dice,
      (item) =>
        (item['quote'] = dice.pick(['Mind your shoes and sit down.', 'Mind your boots, sit down.', 'sit down and mind your boots'])),
    ),
  'another event': (reply, dice) => withOne(reply, dice, (item) => (item['event'] = dice.pick([0, 1, 3, 4, 6, 7, 9, 99, -8, 8.5]))),
  'no event': (reply, dice) => withOne(reply, dice, (item) => delete item['event']),
  'no quote': (reply, dice) => withOne(reply, dice, (item) => delete item['quote']),
  'a poor quote': (reply, dice) =>
    withOne(reply, dice, (item) => (item['quote'] = dice.pick(['', ' ', '.', 'down', 'boots and', 'ind your boots an', '…']))),
  'a wrong kind': (reply, dice) =>
    withOne(reply, dice, (item) => (item[dice.pick(['quote', 'event'])] = dice.pick<Json>([null, true, [], {}, [8], { a: 1 }]))),
  'a number alone': (_, dice) =>
    dice.pick(['5', '10/10', 'Therefore, the final score is 5', 'score: 100', '**4**', '{"score": 10}', '{"value": 1, "status": "ok"}']),
  prose: (_, dice) =>
    Array.from({ length: dice.int(60) }, () =>
      dice.pick(['yes', 'no', 'A', 'B', 'the', '{', '}', '[8]', '"', '\n', 'axis:', 'preference: 1']),
    ).join(' '),
  noise: (_, dice) => Array.from({ length: dice.int(200) }, () => String.fromCharCode(dice.int(0x250))).join(''),
  'nested nonsense': (_, dice) => `${'['.repeat(dice.int(2000))}{"answers":${'{'.repeat(dice.int(2000))}`,
  'no content': (reply) => reply.replace(/\[.*\]/s, '[]').replace(/"preference":\d/, '"preference":null'),
  'two opinions': (reply) =>
    `${reply}\n${reply
      .replace(/"(yes|no)"/, '"na"')
      .replace('"flaws":[]', '"flaws":[1]')
      .replace('"preference":3', '"preference":1')}`,
  'an answer of no kind': (reply, dice) =>
    reply
      .replace('"answer":"yes"', `"answer":${dice.pick(['"maybe"', '7', 'null', '"yes or no"', '""'])}`)
      .replace('"flaws":[]', `"flaws":${dice.pick(['null', '{}', '"none"', '[{}]', '[null]', '7'])}`)
      .replace('"preference":3', `"preference":${dice.pick(['0', '6', '3.5', '"A"', 'null', '"3 or 4"'])}`),
  'an unknown item': (reply) => reply.replace(/"(item|axis)":"[^"]+"/, '"$1":"something-else"'),
};

const inputFor = (rubric: Rubric) => ({
  episodes: rubric.form === 'pairwise' ? [episode, episode] : [episode],
  seat: 'host',
  persona,
  rng: rng(1),
});

const rubrics: readonly Rubric[] = [{ ...coser, axes: coser.axes.slice(0, 1) }, sotopia, furina];

const replies = amount(1500, 5000);

it('a judge never turns a malformed reply into a score, over thousands of replies', async () => {
  const kinds = Object.keys(damages);
  let broken = '';
  const judges = rubrics.map((rubric) => createJudge(rubric, { model: modelOf(() => broken), retries: 1, batch: 100 }));
  for (let i = 0; i < replies; i++) {
    const judge = judges[i % judges.length]!;
    const kind = kinds[i % kinds.length]!;
    broken = damages[kind]!(validReply(judge.rubric), rng(7, 'fuzz', i));
    const [score] = (await judge.score(inputFor(judge.rubric), signal)) as [Score];
    const text = `${kind} of ${judge.rubric.name}: ${broken.slice(0, 300)}`;
    expect([score.value, score.status, Object.values(score.parts ?? {}).filter((part) => part !== null)], text).toEqual([
      null,
      'unparsed',
      [],
    ]);
  }
  for (const { tally } of judges) expect(tally.unparsedReplies).toBe(tally.replies);
  expect(judges.reduce((sum, { tally }) => sum + tally.unparsed, 0)).toBeGreaterThanOrEqual(replies);
});

it('a judge scores the same replies undamaged (control)', async () => {
  for (const rubric of rubrics) {
    const judge = createJudge(rubric, { model: modelOf([validReply(rubric)]), batch: 100 });
    expect(await judge.score(inputFor(rubric), signal)).toMatchObject([{ status: 'ok' }]);
  }
});
