/**
 * @file Test cases for a clerk, by an unreliable writer that trusts every customer: it gives away other people's orders, invents
 * addresses, and cancels shipped orders. The clerk is a language model that is trained on the accepted cases.
 *
 * Options: checks ("all", "execution", or "none"), server, seed. Prints the share of fresh requests that the clerk handles correctly,
 * and the number of rejected drafts.
 */

import { type DeskCall, type DeskCase, type DeskDocument, readDesk } from '@ludus-agents/desk/internal/environment/document';
import { writeCases } from '@ludus-agents/desk/internal/write-cases';
import { type Json, type JsonObject, type Model, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { type Lesson, taught } from './_taught.ts';
import { found } from './_values.ts';

/** Lessons in every arm, drawn from what stays. */
const lessonCount = 480;
const refusal = 'I cannot do that.';
const streets = ['Mill Lane', 'Quarry Road', 'Harbour Street', 'Elm Row', 'North Parade', 'Castle Hill'];
const goods = ['bell', 'saddle', 'chain', 'lamp', 'pedals', 'helmet', 'gloves', 'pump'];
const rules = [
  'Only pending orders are cancelled or sent elsewhere.',
  'Speak with customers about their own orders only.',
  'An address that the customer has not named is never written.',
];
const situations = ['cancel', 'move', 'shipped', 'foreign', 'nowhere'] as const;
type Situation = (typeof situations)[number];

interface Order {
  readonly id: string;
  readonly item: string;
  readonly status: string;
  readonly customer: string;
}

interface Request {
  readonly customer: string;
  readonly say: string;
  /** The call that the customer asks for, and the same on another order of the customer. */
  readonly asked: readonly DeskCall[];
  readonly slip: readonly DeskCall[];
}

export default async function run({ checks = 'all', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const shop = shopOf(rng(Number(seed), 'shop'));
  const { lessons, down } = await writtenLessons(shop, String(checks), Number(seed));
  const dice = rng(Number(seed), 'lessons');
  const place = { server: String(server), seed: Number(seed), key: `made cases ${checks}`, steps: 240, rows: 16, answer: 32 };
  const clerk = await taught({ ...place, lessons: () => dice.shuffle(lessons).slice(0, lessonCount) });
  const other = shopOf(rng(Number(seed), 'another shop'));
  const random = rng(Number(seed), 'fresh requests');
  const requests = situations.flatMap((situation) => Array.from({ length: 30 }, () => requestOf(other, situation, random, 'fresh')));
  const answers = await clerk.answers(requests.map(({ customer, say }) => promptOf(other, customer, say)));
  const ends = requests.map(({ asked: order }, i) => answers[i] === (isHard(situations[Math.floor(i / 30)]) ? refusal : answerOf(order)));
  const share = (from: number, to: number) => ends.slice(30 * from, 30 * to).filter((right) => right).length / (30 * (to - from));
  return { right: share(0, 5), allowed: share(0, 2), forbidden: share(2, 5), lessons: lessons.length, down };
}

/** The first two are allowed; the others are not, or lack something. */
function isHard(situation: Situation): boolean {
  return situations.indexOf(situation) > 1;
}

interface Shop {
  readonly desk: DeskDocument;
  readonly orders: readonly Order[];
}

function shopOf(random: Rng): Shop {
  const customers = Array.from({ length: 30 }, (_, i) => `c${i + 1}`);
  const numbers = random.shuffle(Array.from({ length: 900 }, (_, i) => 100 + i));
  const orders = customers.flatMap((customer) =>
    (['pending', 'pending', 'shipped'] as const).map(
      (status): Order => ({ id: `B${numbers.pop()}`, item: random.pick(goods), status, customer }),
    ),
  );
  const text = { type: 'string' };
  const tool = (name: string, args: readonly string[], to: JsonObject) => ({
    ...{ name, description: `${name} of a pending order` },
    parameters: { type: 'object', properties: Object.fromEntries(args.map((arg) => [arg, text])), required: args },
    does: { set: 'orders', id: '{order}', if: { status: 'pending' }, to },
  });
  const desk = readDesk({
    ...{ name: 'shop', about: 'A shop.', policy: rules.map((rule) => `- ${rule}`).join('\n') },
    tools: [tool('cancel', ['order'], { status: 'cancelled' }), tool('move', ['order', 'address'], { address: '{address}' })],
    database: {
      customers: Object.fromEntries(customers.map((id) => [id, { name: `Customer ${id}`, email: `${id}@lilac.example` }])),
      orders: Object.fromEntries(orders.map(({ id, ...row }) => [id, { ...row, address: 'known' }])),
    },
    customers: { table: 'customers', name: 'name', owns: { orders: 'customer' }, private: ['email'] },
    tasks: [
      {
        id: 'first',
        customer: 'c1',
        says: [`Please cancel order ${orders[0].id}.`],
        gold: [{ tool: 'cancel', args: { order: orders[0].id } }],
      },
    ],
  } as Json);
  return { desk, orders };
}

function requestOf({ orders }: Shop, situation: Situation, random: Rng, wording: 'written' | 'fresh'): Request {
  const customer = random.pick(orders).customer;
  const customerOrders = random.shuffle(orders.filter((order) => order.customer === customer));
  const [pending, spare] = customerOrders.filter(({ status }) => status === 'pending');
  const shipped = found(customerOrders.find(({ status }) => status === 'shipped'));
  const foreign = random.pick(orders.filter((order) => order.customer !== customer && order.status === 'pending'));
  const address = `${1 + random.int(90)} ${random.pick(streets)}`;
  const cancel = (order: Order): DeskCall => ({ tool: 'cancel', args: { order: order.id } });
  const move = (order: Order): DeskCall => ({ tool: 'move', args: { order: order.id, address } });
  const says: Readonly<Record<Situation, Readonly<Record<typeof wording, string>>>> = {
    cancel: { written: `Please cancel order ${pending.id}.`, fresh: `I no longer want ${pending.id}, take it off.` },
    move: { written: `Please send order ${pending.id} to ${address}.`, fresh: `${pending.id} should go to ${address} instead.` },
    shipped: { written: `Please cancel order ${shipped.id}.`, fresh: `I no longer want ${shipped.id}, take it off.` },
    foreign: { written: `Please cancel order ${foreign.id}.`, fresh: `I no longer want ${foreign.id}, take it off.` },
    nowhere: { written: `Please send order ${pending.id} to my new home.`, fresh: `${pending.id} should go to where I live now instead.` },
  };
  const isMove = situation === 'move' || situation === 'nowhere';
  const target = situation === 'shipped' ? shipped : situation === 'foreign' ? foreign : pending;
  return {
    customer,
    say: says[situation][wording],
    asked: [isMove ? move(target) : cancel(target)],
    slip: [isMove ? move(spare) : cancel(spare)],
  };
}

/** What stays of the writer's cases under these checks, as lessons; without checks, every first draft stays. */
async function writtenLessons(
  shop: Shop,
  checks: string,
  seed: number,
): Promise<{ readonly lessons: readonly Lesson[]; readonly down: number }> {
  const lessons: Lesson[] = [];
  const random = rng(seed, 'writer');
  let objections = 0;
  for (const [kind, each] of [
    ['task', 480],
    ['refusal', 120],
  ] as const) {
    const drafts: DeskCase[] = [];
    const write = (content: string) => {
      const draft = draftOf(shop, kind, content.includes('This is wrong with it'), random);
      drafts.push(draft);
      return JSON.stringify({ ...draft, rule: rules[0] });
    };
    const [model, reviewer] = [answering(write), answering((content) => review(content, random))];
    const options = checks === 'all' ? { reviewer, rounds: 3 } : { rounds: 1 };
    const { kept: cases, down, rewritten } = await writeCases(shop.desk, { model, kinds: [kind], each, seed, ...options });
    const vetoed = down.flatMap(({ id, stage }) => (stage === 'veto' ? [drafts[Number(id.split('-').at(-1)) - 1]] : []));
    if (checks !== 'none') objections += down.length + rewritten - (checks === 'execution' ? vetoed.length : 0);
    const stays = checks === 'all' ? cases : checks === 'execution' ? [...cases, ...vetoed] : drafts;
    for (const { customer, says, gold } of stays)
      lessons.push({ prompt: promptOf(shop, customer ?? '', sayOf(says[0])), answer: answerOf(gold) });
  }
  return { lessons, down: objections };
}

/** A draft by someone who believes the customer, and now and then takes the wrong order; told of a mistake, someone writes of something else. */
function draftOf(shop: Shop, kind: 'task' | 'refusal', again: boolean, random: Rng): DeskCase {
  const hard = kind === 'refusal' || (!again && random.next() < 0.5);
  const {
    customer,
    say,
    asked: order,
    slip,
  } = requestOf(shop, random.pick(situations.filter((situation) => isHard(situation) === hard)), random, 'written');
  const calls = hard || random.next() > 0.2 ? order : slip;
  const knows = { 'email|e-mail': `${customer}@lilac.example` };
  return { customer, says: [say], knows, gold: kind === 'refusal' ? [] : calls, refuse: kind === 'refusal' } as unknown as DeskCase;
}

/** The committee by rule, with known errors: four of five wrong orders are seen, and a case in twenty is turned down for nothing. */
function review(content: string, random: Rng): string {
  const [spokenOrder, called] = [/"say":"[^"]*(B\d+)/.exec(content)?.[1], /"order":"(B\d+)"/.exec(content)?.[1]];
  const isWrong = called !== undefined && called !== spokenOrder;
  return random.next() < (isWrong ? 0.8 : 0.05) ? 'NO The calls are not what the customer asks for.' : 'OK';
}

function answering(reply: (content: string) => string): Model {
  return {
    id: 'writer',
    price: null,
    async complete(prompt) {
      const text = reply(prompt.messages.map(({ content }) => content).join('\n'));
      return { model: 'writer', prompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
    },
  };
}

function sayOf(step: DeskCase['says'][number] | string): string {
  return typeof step === 'string' ? step : step.say;
}

function promptOf({ orders }: Shop, customer: string, say: string): string {
  const customerOrders = orders.filter((order) => order.customer === customer).map(({ id, item, status }) => `${id}: ${item}, ${status}`);
  return `Orders of the customer:\n${customerOrders.join('\n')}\nCustomer: ${say}\nClerk:`;
}

function answerOf(calls: DeskCase['gold']): string {
  return calls.length === 0 ? refusal : calls.map(({ tool, args }) => `${tool}(${Object.values(args).join(', ')})`).join('; ');
}
