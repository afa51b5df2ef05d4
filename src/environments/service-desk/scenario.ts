/**
 * @file Scenarios drawn from dice: a shop, a customer with a hidden table of slots, the gold calls that serve them, and the facts to state.
 */

import { type Fact, Fault, type JsonObject, type Rng } from '../../core/index.ts';
import { listOf } from '../../core/lists.ts';
import type { CustomerSlots } from './customer.ts';
import {
  addOrder,
  type Buyer,
  closeShop,
  fresh,
  openShop,
  readDatabase,
  record,
  type ServiceDatabase,
  type ServiceDraft,
  type WrittenDatabase,
} from './database.ts';
import { drawErrand, drawForbidden, errandKinds, outsideWishes, type ServiceErrand } from './errands.ts';
import { forbiddenBy } from './policy.ts';
import { request, type ServiceRequest } from './requests.ts';
import { run, type ServiceCall, writes } from './tools.ts';

/** All that one conversation is about. Only the card made from `slots` is shown, and only to the customer. */
export type Scenario = {
  readonly kind: string;
  readonly database: ServiceDatabase;
  readonly slots: CustomerSlots;
  readonly gold: readonly ServiceCall[];
  readonly facts: readonly Fact[];
};

/** A scenario as it is written in a task. */
export type WrittenScenario = Omit<Scenario, 'database'> & { readonly database: WrittenDatabase };

export function readScenario(written: WrittenScenario): Scenario {
  return { ...written, database: readDatabase(written.database) };
}

export const kinds = [
  'cancel',
  'exchange',
  'return',
  'refund',
  'address',
  'information',
  'must-refuse',
  'multi-request',
  'wrong-identity',
  'transfer',
] as const;
export type ServiceKind = (typeof kinds)[number];

/** How large the shop is and how hard its customers are. Shares are chances, from 0 to 1. */
export interface ServiceDifficulty {
  readonly customers: number;
  readonly orders: number;
  readonly types: number;
  readonly requests: number;
  readonly forgetful: number;
  readonly terse: number;
  readonly chatter: number;
  readonly insist: number;
}

const smallTalk = [
  'It is raining here all day.',
  'My neighbour bought a green large tent elsewhere and loves it.',
  'I have been a customer for years.',
  'I hope you can hear me over the noise.',
];

export function drawScenario(kind: ServiceKind, difficulty: ServiceDifficulty, dice: Rng): Scenario {
  const draft = openShop(difficulty, dice);
  const who = dice.pick(draft.customers);
  const chance = (share: number): boolean => dice.next() < share;
  const others = draft.customers.filter((one) => one !== who);
  const errands = errandsOf(kind, { draft, who, others, difficulty });
  const own = errands.filter(({ request: one }) => one.want !== 'other').length;
  for (let i = own; i < difficulty.orders && draft.shelf.length > 0; i++)
    addOrder(draft, who, { products: draft.shelf.splice(0, 1 + dice.int(2)) });
  for (const other of others)
    for (let i = dice.int(difficulty.orders); i >= 0; i--) addOrder(draft, other, { products: [dice.pick(draft.goods)] });
  draft.customers[draft.customers.indexOf(who)] = { ...who, orders: dice.shuffle(who.orders) };
  const imposter = kind === 'wrong-identity' && errands.some((errand) => errand.imposter === true);
  const forgotten = imposter || chance(difficulty.forgetful);
  const slots: CustomerSlots = {
    name: who.name,
    email: forgotten ? null : who.email,
    zip: imposter ? fresh(draft, '', 5) : who.address.zip,
    requests: listOf(errands, ({ request: one, fixed }) => (fixed !== true && chance(difficulty.forgetful) ? withoutNumber(one) : one)),
    terse: chance(difficulty.terse),
    insist: difficulty.insist,
    chatter: chance(difficulty.chatter) ? dice.pick(smallTalk) : '',
    voice: dice.int(3),
    instructions: null,
  };
  const identify: JsonObject = forgotten ? { name: who.name, zip: who.address.zip } : { email: who.email };
  const reads = [call('find_customer', identify), call('get_customer', { customer_id: who.id })];
  return {
    kind,
    database: closeShop(draft),
    slots,
    gold: [...(imposter ? [] : reads), ...errands.flatMap((errand) => errand.calls)],
    facts: errands.flatMap((errand) => errand.facts),
  };
}

/** A customer can forget the number of an order, but not what is in it. */
function withoutNumber(one: ServiceRequest): ServiceRequest {
  return one.items.length > 0 ? { ...one, order: null } : one;
}

function call(tool: string, args: JsonObject): ServiceCall {
  return { tool, args };
}

interface Setting {
  readonly draft: ServiceDraft;
  readonly who: Buyer;
  readonly others: readonly Buyer[];
  readonly difficulty: ServiceDifficulty;
}

function errandsOf(kind: ServiceKind, { draft, who, others, difficulty }: Setting): readonly ServiceErrand[] {
  const { dice } = draft;
  if (kind === 'must-refuse') return [drawForbidden(draft, who)];
  if (kind === 'wrong-identity') return [dice.int(2) === 0 ? imposture(draft, who) : meddling(draft, dice.pick(others))];
  if (kind === 'transfer') {
    const summary = dice.pick(outsideWishes);
    return [{ request: request('other', { words: summary }), calls: [call('transfer_to_human', { summary })], facts: [] }];
  }
  if (kind !== 'multi-request') return [drawErrand(kind, { draft, who })];
  const several = dice.shuffle(errandKinds).slice(0, difficulty.requests);
  // A forbidden request among others: the rest must still be served.
  const refused = dice.int(3) === 0 ? dice.int(several.length) : -1;
  return listOf(several, (one, i) => (i === refused ? drawForbidden(draft, who) : drawErrand(one, { draft, who })));
}

/** Someone who knows a name and an order, and neither the email nor the zip code that go with them. */
function imposture(draft: ServiceDraft, who: Buyer): ServiceErrand {
  return { ...drawErrand('cancel', { draft, who }), calls: [], facts: [], imposter: true, fixed: true };
}

/** Someone who is who they say, and wants something done to the order of another customer. */
function meddling(draft: ServiceDraft, other: Buyer): ServiceErrand {
  const errand = drawErrand(draft.dice.pick(['cancel', 'address', 'information'] as const), { draft, who: other, anOrder: true });
  return { ...errand, calls: [], facts: [], fixed: true };
}

// ── proofs about scenarios ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The database after the gold calls. */
export function goldEnd(scenario: Scenario): ServiceDatabase {
  let { database } = scenario;
  for (const one of scenario.gold) {
    if (!writes(one)) continue;
    const result = run(database, one);
    if (result.ok) database = result.database;
  }
  return database;
}

/** Replays all gold calls, reads too; throws where one fails or is forbidden, because then the scenario cannot be solved. */
export function proveSolvable(scenario: Scenario): void {
  let { database } = scenario;
  for (const one of scenario.gold) {
    const order = record(database.orders, one.args['order_id']) ?? null;
    const rule = forbiddenBy(one, order, (product) => record(database.products, product)?.type);
    const result = run(database, one);
    if (!result.ok || rule !== null)
      throw new Fault(
        'environment',
        `The gold call ${JSON.stringify(one)} ${result.ok ? `breaks the rule "${rule}"` : `fails: ${result.problem}`}.`,
      );
    database = result.database;
  }
}

/** True where an agent that does and says nothing scores 1: no write is needed and no fact need be stated. */
export function needsNothing(scenario: Scenario): boolean {
  return scenario.facts.length === 0 && !scenario.gold.some(writes);
}
