/**
 * @file A builder in the environment "blocks" is told the name of a design and a size. The design itself is only in its memory, in the
 * programs of earlier buildings of other sizes.
 *
 * Options: memory ("recalled": by the product's memory; "latest": the same number of latest buildings; "none"), server, seed. Prints
 * the mean pay, the share of memories that contain the design, and the number of recalled memories that are not among the latest.
 */

import { emptyMemory } from '@ludus-agents/agents/internal/mind/memory';
import type { Placed } from '@ludus-agents/agents/internal/mind/mind';
import { recall } from '@ludus-agents/agents/internal/mind/recall';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Json, type Rng, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { type Lesson, taught } from './_taught.ts';

const seat = 'builder';
/** How many earlier buildings are in view. */
const most = 2;
const syllables = ['ar', 'bel', 'cor', 'dun', 'el', 'fen', 'gar', 'hol', 'ir', 'jar', 'kel', 'lo'];
const kinds = ['hut', 'shed', 'tower', 'gate', 'altar', 'bench'];

interface Design {
  readonly name: string;
  /** Materials from the ground up. */
  readonly layers: readonly string[];
}

interface Building {
  readonly design: Design;
  readonly width: number;
  readonly depth: number;
}

interface Order extends Building {
  readonly notes: string;
  readonly known: boolean;
  readonly fresh: number;
}

export default async function run({ memory = 'recalled', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const orders = await ordersOf(rng(Number(seed), 'orders'), String(memory), 100);
  const lessons = async () => {
    const random = rng(Number(seed), 'other orders');
    const lists = await Promise.all(['recalled', 'latest', 'none'].map((kind) => ordersOf(random, kind, 300)));
    return lists.flat().map((order): Lesson => ({ prompt: promptOf(order), answer: planFor(order) }));
  };
  const builder = await taught({ key: 'builder', server: String(server), seed: Number(seed), lessons, steps: 120, answer: 110 });
  const programs = await builder.answers(orders.map(promptOf));
  const blocks = await builtInEnvironment('blocks');
  let totalReturn = 0;
  for (const [i, order] of orders.entries()) {
    const task = { size: 5, plan: 'words', moves: 2, blueprints: [drawingOf(order)] } as Json;
    let turn = 0;
    const agent = scripted(seat, () => ({ text: turn++ === 0 ? `\`\`\`js\n${programs[i]}\n\`\`\`` : '[done]' }));
    totalReturn += (await playOne(blocks, { [seat]: agent }, task, i)).returns[seat] ?? 0;
  }
  const acted = memory === 'recalled' ? orders.reduce((sum, { fresh }) => sum + fresh, 0) : 0;
  return { pay: totalReturn / orders.length, known: orders.filter(({ known: isKnown }) => isKnown).length / orders.length, acted };
}

/** Orders, each after twelve buildings, one of which is of the same design in another size. */
async function ordersOf(random: Rng, memory: string, count: number): Promise<readonly Order[]> {
  const orders: Order[] = [];
  for (let i = 0; i < count; i++) {
    const earlier = Array.from({ length: 12 }, () => buildingOf(designOf(random), random));
    const { design } = earlier[random.int(10)];
    const order = buildingOf(design, random);
    const texts = earlier.map((building) => `You built ${textOf(building)}: ${programOf(building)}`);
    const latest = texts.slice(-most);
    const lines = memory === 'none' ? [] : memory === 'latest' ? latest : await recallNotes(textOf(order), texts);
    const isKnown = lines.some((text) => text.includes(` ${design.name},`));
    orders.push({ ...order, notes: lines.join('\n'), known: isKnown, fresh: lines.filter((text) => !latest.includes(text)).length });
  }
  return orders;
}

async function recallNotes(query: string, texts: readonly string[]): Promise<readonly string[]> {
  const events = texts.map((text, i): Placed => ({ index: i, turn: i, seen: { kind: 'message', to: [seat], text } }));
  const records = await recall({
    ...{ query, seat, names: [seat], events, memory: emptyMemory, recalled: {}, now: texts.length, emotion: [], most },
    ...{ rank: { by: 'generative' }, tokens: 400, count: (text: string) => Math.ceil(text.length / 4) },
  });
  return records.map(({ text }) => text);
}

function designOf(random: Rng): Design {
  const name = `${Array.from({ length: 3 }, () => random.pick(syllables)).join('')} ${random.pick(kinds)}`;
  return { name, layers: Array.from({ length: 2 + random.int(3) }, () => random.pick(['stone', 'wood'])) };
}

function buildingOf(design: Design, random: Rng): Building {
  return { design, width: 2 + random.int(4), depth: 2 + random.int(4) };
}

function textOf({ design, width, depth }: Building): string {
  return `the ${design.name}, ${width} wide and ${depth} deep`;
}

function programOf({ design, width, depth }: Building): string {
  const list = design.layers.map((material) => `'${material}'`).join(', ');
  return `for (let x = 0; x < ${width}; x++) for (let z = 0; z < ${depth}; z++) [${list}].forEach((m, y) => place(m, x, y, z));`;
}

/** What an expert writes: the design where it is in view, else two layers of stone. */
function planFor(order: Order): string {
  return programOf(order.known ? order : { ...order, design: { ...order.design, layers: ['stone', 'stone'] } });
}

function promptOf(order: Order): string {
  return `${order.notes === '' ? 'You remember nothing.' : order.notes}\n\nBuild ${textOf(order)}. Write the program.`;
}

function drawingOf({ design: { name, layers }, width, depth }: Order) {
  const rows = (material: string) => Array.from({ length: depth }, () => (material === 'stone' ? 'S' : 'W').repeat(width));
  return { name, text: name, layers: layers.map(rows) };
}
