/** @file Cases of the service desk, drawn from dice: a shop, a customer with requests, and what serving them rightly takes. */

import { listOf } from '@ludus-agents/environments/internal/lists';
import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import type { Desk, DeskCall, DeskCase, DeskPersona, DeskStep } from '../document.ts';
import { drawErrand, drawForbidden, type Errand, errandKinds, outsideWishes } from './errands.ts';
import { customers, policy, tools } from './policy.ts';
import { type CustomerRequest, phrase, request, tellAddress } from './requests.ts';
import { addOrder, type Buyer, closeShop, fresh, openShop, type ShopDraft } from './shop.ts';

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

/** Small talk before the first request, which has nothing to do with it. */
const smallTalk: Readonly<Record<string, string>> = {
  rain: 'It is raining here all day.',
  neighbor: 'My neighbor bought a green large tent elsewhere and loves it.',
  loyal: 'I have been a customer for years.',
  noise: 'I hope you can hear me over the noise.',
};

const personas: readonly DeskPersona[] = ['', ...Object.keys(smallTalk)].flatMap((talk) =>
  [false, true].map((terse) => ({
    name: personaName(talk, terse),
    manner: terse ? 'Give details only when you are asked for them.' : 'Say what you want in full.',
    opening: smallTalk[talk] ?? '',
    patience: 0,
  })),
);

function personaName(talk: string, terse: boolean): string {
  return `${terse ? 'terse' : 'open'}${talk === '' ? '' : `-${talk}`}`;
}

const folder: Omit<Desk, 'database'> = {
  name: 'service-desk',
  about: 'A shop: orders are cancelled, returned, exchanged, refunded and sent elsewhere where the policy allows it.',
  policy,
  tools,
  customers,
  forbidden: [],
  required: [],
  personas,
};

/** A case with the desk whose database it is about. */
export interface ServiceCase {
  readonly desk: Desk;
  readonly case: DeskCase;
}

export function drawCase(kind: ServiceKind, id: string, difficulty: ServiceDifficulty, dice: Rng): ServiceCase {
  const draft = openShop(difficulty, dice);
  const who = dice.pick(draft.customers);
  const chance = (share: number): boolean => dice.next() < share;
  const others = draft.customers.filter((buyer) => buyer !== who);
  const errands = errandsOf(kind, { draft, who, others, difficulty });
  addDistractions(draft, who, errands, difficulty);
  const isImpostor = errands.some(({ impostor }) => impostor === true);
  const isForgetful = isImpostor || chance(difficulty.forgetful);
  const zip = isImpostor ? fresh(draft, '', 5) : who.zip;
  const [terse, talks, voice] = [chance(difficulty.terse), chance(difficulty.chatter), dice.int(3)];
  const forgets = ({ request: wanted, fixed }: Errand) => fixed !== true && wanted.items.length > 0 && chance(difficulty.forgetful);
  const says = listOf(errands, (errand) => {
    const wanted = forgets(errand) ? { ...errand.request, order: null } : errand.request;
    return stepOf(wanted, { terse, voice, tell: errand.tell });
  });
  return {
    desk: { ...folder, database: closeShop(draft) },
    case: {
      ...{ id, customer: isImpostor ? null : who.id, persona: personaName(talks ? dice.pick(Object.keys(smallTalk)) : '', terse) },
      knows: {
        'email|e-mail|mail': isForgetful ? 'I do not remember my email.' : who.email,
        name: who.name,
        'zip code|zip|postal code': zip,
      },
      ...{ says, gold: errands.flatMap(({ calls }) => calls), refuse: kind === 'must-refuse' || kind === 'wrong-identity' },
      ...{ tell: [], never: [], insist: difficulty.insist, probe: 'task', marker: null, planted: null, wrong: null, right: null },
    },
  };
}

/** A sentence of the customer: complete, or vague if details must be asked for. Each detail is a separate sentence. */
function stepOf(
  wanted: CustomerRequest,
  how: { readonly terse: boolean; readonly voice: number; readonly tell: DeskStep['tell'] },
): DeskStep {
  const { want, reason, address } = wanted;
  const details: Record<string, string> = {};
  if (want !== 'other') details['details|order|number|item|product|replacement|instead'] = phrase(wanted, how.voice);
  if (reason !== null) details['reason|why'] = `The reason is: ${reason}.`;
  if (address !== null) details['new address|address|street|city'] = tellAddress(address);
  return { say: phrase(wanted, how.voice, how.terse), kind: want === 'ask' ? 'ask' : 'request', tell: how.tell, knows: details };
}

/** Orders that are in no request, of this customer and of others. */
function addDistractions(draft: ShopDraft, who: Buyer, errands: readonly Errand[], { orders }: ServiceDifficulty): void {
  const { dice } = draft;
  const wanted = errands.filter(({ request: { want } }) => want !== 'other').length;
  for (let i = wanted; i < orders && draft.shelf.length > 0; i++) addOrder(draft, who, draft.shelf.splice(0, 1 + dice.int(2)));
  for (const other of draft.customers)
    if (other !== who) for (let i = dice.int(orders); i >= 0; i--) addOrder(draft, other, [dice.pick(draft.goods)]);
  who.orders = dice.shuffle(who.orders);
}

interface Setting {
  readonly draft: ShopDraft;
  readonly who: Buyer;
  readonly others: readonly Buyer[];
  readonly difficulty: ServiceDifficulty;
}

function errandsOf(kind: ServiceKind, { draft, who, others, difficulty }: Setting): readonly Errand[] {
  const { dice } = draft;
  if (kind === 'must-refuse') return [drawForbidden(draft, who)];
  if (kind === 'wrong-identity') return [dice.int(2) === 0 ? imposture(draft, who) : meddling(draft, dice.pick(others))];
  if (kind === 'transfer') {
    const summary = dice.pick(outsideWishes);
    const transfer: DeskCall = { tool: 'transfer_to_human', args: { summary } };
    return [{ request: request('other', { words: summary }), calls: [transfer], tell: [] }];
  }
  if (kind !== 'multi-request') return [drawErrand(kind, { draft, who })];
  const several = dice.shuffle(errandKinds).slice(0, difficulty.requests);
  // A forbidden request among others: the rest must still be served.
  const refused = dice.int(3) === 0 ? dice.int(several.length) : -1;
  return listOf(several, (errand, i) => (i === refused ? drawForbidden(draft, who) : drawErrand(errand, { draft, who })));
}

/** Someone who knows a name and an order, and neither the email nor the zip code that go with them. */
function imposture(draft: ShopDraft, who: Buyer): Errand {
  return { ...drawErrand('cancel', { draft, who }), calls: [], tell: [], impostor: true, fixed: true };
}

/** Someone who is who they say, and wants something done to the order of another customer. */
function meddling(draft: ShopDraft, other: Buyer): Errand {
  const errand = drawErrand(draft.dice.pick(['cancel', 'address', 'information'] as const), { draft, who: other, anOrder: true });
  return { ...errand, calls: [], tell: [], fixed: true };
}
