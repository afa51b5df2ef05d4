/**
 * @file Baskets of goods whose prices come only from a tool. A language model is trained to act either with code or with single calls,
 * and then tested on new baskets.
 *
 * Options: form ("code" or "calls"), model ("taught", or "expert" for a ceiling), server, seed. Prints the share of right answers for
 * baskets of four and eight goods and for single goods, and the number of programs that ran.
 */

import { code } from '@ludus-agents/agents/internal/llm/architectures/code';
import { react } from '@ludus-agents/agents/internal/llm/architectures/react';
import { type Tool, toolset } from '@ludus-agents/agents/internal/tools/tool';
import { type Json, type Model, type Prompt, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { apprenticeModel, expertModel, forEachOf } from './_apprentice.ts';
import { type Lesson, taught } from './_taught.ts';

const goods = 'pear plum fig lemon rope nail soap lamp tin coal yarn brush kettle basket ladder candle hammer saddle'.split(' ');
const sizes = [1, 2, 4, 8];

interface Basket {
  readonly items: readonly string[];
  readonly prices: ReadonlyMap<string, number>;
  readonly wants: 'cost' | 'dearest';
  readonly answer: string;
}

export default async function run({ form = 'code', model = 'taught', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const tested = rng(Number(seed), 'fresh baskets');
  const baskets = [1, 4, 8].flatMap((size) => Array.from({ length: 30 }, () => basketOf(size, tested)));
  const lessons = () => practice(String(form), rng(Number(seed), 'baskets'));
  const apprentice =
    model === 'expert'
      ? null
      : apprenticeModel(
          await taught({ key: `baskets ${form}`, server: String(server), seed: Number(seed), lessons, steps: 120, answer: 96 }),
        );
  const ends = await forEachOf(baskets, (basket) => solve(basket, String(form), apprentice ?? expertFor(basket, String(form), [])));
  const shareOf = (wanted: readonly number[]) => {
    const group = ends.filter((_, i) => wanted.includes(baskets[i].items.length));
    return group.filter(({ right }) => right).length / group.length;
  };
  return { right: shareOf([4, 8]), single: shareOf([1]), programs: ends.reduce((sum, { programs }) => sum + programs, 0) };
}

function basketOf(size: number, random: Rng): Basket {
  const items = random.shuffle(goods).slice(0, size);
  const prices = new Map(random.shuffle(Array.from({ length: 90 }, (_, i) => 10 + i)).map((price, i) => [items[i], price]));
  const wants = random.pick(['cost', 'dearest'] as const);
  const price = (item: string) => prices.get(item) ?? 0;
  const answer =
    wants === 'cost'
      ? String(items.reduce((sum, item) => sum + price(item), 0))
      : items.reduce((best, item) => (price(item) > price(best) ? item : best));
  return { items, prices, wants, answer };
}

/** What an expert is asked and writes in a form, over many baskets. */
async function practice(form: string, random: Rng): Promise<readonly Lesson[]> {
  const baskets = Array.from({ length: 160 }, () => basketOf(random.pick(sizes), random));
  const lessons = baskets.map((): Lesson[] => []);
  await forEachOf(baskets, (basket, i) => solve(basket, form, expertFor(basket, form, lessons[i])));
  return lessons.flat();
}

function expertFor({ items, wants, answer }: Basket, form: string, lessons: Lesson[]): Model {
  let turn = 0;
  return expertModel(() => {
    const at = turn++;
    if (form !== 'code') return at < items.length ? `Tool: price {"item": "${items[at]}"}` : answer;
    if (at > 0) return answer;
    const look = `const items = ${JSON.stringify(items)};\nconst prices = [];\nfor (const item of items) prices.push(Number(await tools.price({item})));`;
    const end =
      wants === 'cost' ? 'console.log(prices.reduce((a, b) => a + b, 0));' : 'console.log(items[prices.indexOf(Math.max(...prices))]);';
    return `\`\`\`js\n${look}\n${end}\n\`\`\``;
  }, lessons);
}

async function solve({ items, prices, wants, answer }: Basket, form: string, model: Model) {
  const { manner, play } = form === 'code' ? code : react;
  const question = wants === 'cost' ? 'What do they cost together?' : 'Which of them costs most?';
  const prompt: Prompt = {
    messages: [
      { role: 'system', content: `The tool price({item}) tells what one item costs.\n${manner}` },
      { role: 'user', content: `Basket: ${items.join(', ')}.\n${question}` },
    ],
  };
  const price: Tool = {
    spec: { name: 'price', description: 'Tells what one item costs.', parameters: { type: 'object' } },
    async call(input) {
      const price = prices.get(String((input as { readonly item?: Json }).item));
      return price === undefined ? { ok: false, text: 'There is none.' } : { ok: true, text: String(price) };
    },
  };
  const { answer: written, uses = [] } = await play({
    ...{ prompt, neutral: () => prompt, model, sampling: {}, form: 'plain', tools: toolset([price]), toolState: undefined },
    ...{ encoder: undefined, steps: 10, toolContext: { mode: 'all', cap: 8, window: undefined, digests: false, graph: undefined } },
    code: { vars: {}, box: [], choices: [], seed: 0 },
    signal: new AbortController().signal,
  });
  return { right: written.action.trim() === answer, programs: uses.filter(({ tool }) => tool === 'code').length };
}
