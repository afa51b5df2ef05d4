/** @file Customer requests of the service desk as a table of slots, their phrasing, and how a listener parses the slots. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Address } from './shop.ts';

type Want = 'cancel' | 'exchange' | 'return' | 'refund' | 'address' | 'ask' | 'other';
export type Topic = 'status' | 'total' | 'delivery date' | 'price' | 'stock' | 'account';

/** One request. `order` is null if the customer does not know the number; `reason` and `address` are given on request. */
export type CustomerRequest = {
  readonly want: Want;
  readonly order: string | null;
  readonly items: readonly string[];
  readonly instead: readonly string[];
  readonly reason: string | null;
  readonly address: Address | null;
  readonly topic: Topic | null;
  /** The customer wants to know the total. */
  readonly amount: boolean;
  readonly words: string | null;
};

export function request(want: Want, slots: Partial<CustomerRequest> = {}): CustomerRequest {
  const { order = null, items = [], instead = [], reason = null, address = null, topic = null, amount = false, words = null } = slots;
  return { want, order, items, instead, reason, address, topic, amount, words };
}

const leads = ['I want', 'I would like', 'I need'] as const;

/** A request in one or two sentences: complete, or vague if the customer gives details only when asked. */
export function phrase(wanted: CustomerRequest, voice: number, vague = false): string {
  const lead = leads[voice % leads.length];
  return `${lead} to ${vague ? outline(wanted) : whole(wanted)}.${wanted.amount && !vague ? ' Please tell me the amount.' : ''}`;
}

function whole(wanted: CustomerRequest): string {
  const { want, order, reason } = wanted;
  const goods = `the ${list(wanted.items)}`;
  const which = order === null ? `the order with ${goods}` : `order ${order}`;
  const from = order === null ? '' : ` from order ${order}`;
  if (want === 'cancel') return `cancel ${which}`;
  if (want === 'exchange') return `exchange ${goods}${from} for the ${list(wanted.instead)}`;
  if (want === 'return') return `return ${goods}${from}`;
  if (want === 'refund') return `get the shipping fee of ${which} back ${excuses[reason as string]}`;
  if (want === 'address') return ofAccount(wanted) ? 'change the address of my account' : `have ${which} sent to another address`;
  if (want === 'other') return wanted.words as string;
  if (wanted.topic === 'stock') return `know how many of ${goods} you have`;
  return `know the ${wanted.topic} of ${wanted.topic === 'price' ? goods : which}`;
}

function outline(wanted: CustomerRequest): string {
  const { want, topic } = wanted;
  if (want === 'cancel') return 'cancel an order';
  if (want === 'exchange' || want === 'return') return `${want} something`;
  if (want === 'refund') return `get the shipping fee of an order back ${excuses[wanted.reason as string]}`;
  if (want === 'address' && !ofAccount(wanted)) return 'have an order sent to another address';
  return want === 'ask' && topic !== 'price' && topic !== 'stock' ? `know the ${topic} of an order` : whole(wanted);
}

const excuses: Readonly<Record<string, string>> = {
  'late delivery': 'because it came late',
  goodwill: 'as a gesture of goodwill',
};

export function ofAccount(wanted: CustomerRequest): boolean {
  return wanted.want === 'address' && wanted.topic === 'account';
}

function list(labels: readonly string[]): string {
  return labels.join(' and the ');
}

function unlist(labels: string | undefined): string[] {
  return labels === undefined ? [] : labels.split(' and the ');
}

const which = '(?:order (?<order>\\S+)|the order with the (?<items>.+)|an order)';
const from = '(?: from order (?<order>\\S+))?';
const patterns: readonly (readonly [RegExp, Want])[] = [
  [linear(new RegExp(`^cancel ${which}$`)), 'cancel'],
  [linear(new RegExp(`^exchange (?:something|the (?<items>.+?)${from} for the (?<instead>.+))$`)), 'exchange'],
  [linear(new RegExp(`^return (?:something|the (?<items>.+?)${from})$`)), 'return'],
  [linear(new RegExp(`^get the shipping fee of ${which} back (?<excuse>.+)$`)), 'refund'],
  [linear(new RegExp(`^have ${which} sent to another address$`)), 'address'],
  [/^change the address of my (?<topic>account)$/, 'address'],
  [/^know how many of the (?<items>.+) you have$/, 'ask'],
  [/^know the (?<topic>price) of the (?<items>.+)$/, 'ask'],
  [linear(new RegExp(`^know the (?<topic>status|total|delivery date) of ${which}$`)), 'ask'],
];

const wish = linear(/\b(?:want|would like|'d like|need) to ([^.?!]+)/i);

/** The request made by a text, as far as stated, or null. */
export function understand(text: string): CustomerRequest | null {
  const stated = wish.exec(text)?.[1];
  if (stated === undefined) return null;
  const amount = text.includes('tell me the amount');
  for (const [pattern, want] of patterns) {
    const parts = pattern.exec(stated);
    if (parts === null) continue;
    const { order = null, items, instead, excuse, topic } = (parts.groups ?? {}) as Record<string, string | undefined>;
    const reason = Object.keys(excuses).find((key) => excuses[key] === excuse) ?? null;
    const about = (topic ?? (want === 'ask' ? 'stock' : null)) as Topic | null;
    return request(want, { order, items: unlist(items), instead: unlist(instead), reason, topic: about, amount });
  }
  return request('other', { words: stated, amount });
}

export const tellAddress = ({ street, city, zip }: Address): string => `The new address is ${street}, ${city}, ${zip}.`;

interface ToldSlots {
  readonly reason: string | undefined;
  readonly address: Address | undefined;
  /** Data that identifies the customer, null if none is given. */
  readonly identity: { readonly email?: string; readonly name?: string; readonly zip?: string } | null;
}

const reasonIs = linear(/\bThe reason is: ([^.]+)\./);

const newAddress = linear(/\bThe new address is ([^,]+), ([^,]+), (\d+)\./);

const emailIs = linear(/\bMy email is (\S+?)\.?(?:\s|$)/);

const nameIs = linear(/\bMy name is ([^.]+)\./);

const zipIs = linear(/\bMy zip code is (\d+)/);

/** Slots that customers fill when asked, as far as a text contains them. */
export function slotsTold(text: string): ToldSlots {
  const reason = reasonIs.exec(text)?.[1];
  const place = newAddress.exec(text);
  const address = place === null ? undefined : { street: place[1], city: place[2], zip: place[3] };
  const email = emailIs.exec(text)?.[1];
  const [name, zip] = [nameIs.exec(text)?.[1], zipIs.exec(text)?.[1]];
  const named = name === undefined || zip === undefined ? null : { name, zip };
  const identity = email === undefined ? named : { email, ...named };
  return { reason, address, identity };
}
