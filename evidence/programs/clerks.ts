/**
 * @file Does a desk test distinguish clerks of known quality? Options: test, desk ("sample", "sales", "safety"), labels ("true" or
 * "shuffled"), clerk, seed.
 *
 * "order": a perfect clerk that does nothing or refuses at error rates from 0 to 1. Prints the rank correlation of correctness and pass
 * rate. "planning": five clerks that each fail at one stage of planning. Prints the drop in the score of that stage minus the drop in
 * the others.
 *
 * "difficulties": three clerks that each lack one skill. Prints the drop from a plain case to its difficult twin if the skill is
 * needed, minus the drop otherwise. "joined": the drop from cases of one desk to cases over two, for a clerk that knows "both" or
 * "one".
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInDesk } from '@ludus-agents/desk/internal/environment/built-in';
import { deskEnvironment } from '@ludus-agents/desk/internal/environment/desk';
import { type DeskCase, type DeskDocument, readDesk } from '@ludus-agents/desk/internal/environment/document';
import { goldClerk } from '@ludus-agents/desk/internal/environment/gold-clerk';
import { makeCases } from '@ludus-agents/desk/internal/environment/make/index';
import { joinDesks } from '@ludus-agents/desk/internal/environment/make/join';
import { sampleDesk } from '@ludus-agents/desk/internal/environment/sample';
import { alwaysRefuse, doNothing } from '@ludus-agents/desk/internal/environment/scripts';
import { planning } from '@ludus-agents/evaluation/internal/scoring/rules/planning';
import { ruleScorer } from '@ludus-agents/evaluation/internal/scoring/scorer';
import type { Action, AnyEnvironment, Json, Reply, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';
import { type Episode, mixed, orderOf, playOne, scriptOf } from './_play.ts';
import { found } from './_values.ts';

const environment = deskEnvironment as AnyEnvironment;
const salesDesk = readDesk(JSON.parse(readFileSync(join(import.meta.dirname, '../../examples/sales-desk.json'), 'utf8')), 'sales-desk');

function desksOf(name: string): readonly DeskDocument[] {
  if (name === 'safety') return ['pharmacy', 'house', 'code-host', 'newspaper', 'letting'].map((each) => found(builtInDesk(each)));
  return name === 'sales' ? [salesDesk] : name === 'sample' ? [sampleDesk] : [sampleDesk, salesDesk];
}

async function serve({ tasks: _, ...desk }: DeskDocument, deskCase: DeskCase, clerk: Script, seed: number): Promise<Episode> {
  const customer = scripted('customer', scriptOf(environment, 'customer'));
  return playOne(environment, { agent: scripted('clerk', clerk), customer }, { desk, case: deskCase } as Json, seed);
}

export default async function run({ test = 'order', desk = 'sample', labels = 'true', clerk = 'both', seed = 1 }: ProgramOptions) {
  if (test === 'order') return order(desksOf(String(desk)), String(labels), Number(seed));
  if (test === 'planning') return stages(desksOf('all'), String(labels), Number(seed));
  if (test === 'difficulties') return difficulties(desksOf('all'), String(labels), Number(seed));
  return joinDesk(String(clerk), Number(seed));
}

const doses = [0, 0.1, 0.2, 0.4, 0.7, 1];

async function order(desks: readonly DeskDocument[], labels: string, seed: number): Promise<Json> {
  const passes: number[] = [];
  for (const dose of doses) {
    const passReturns: number[] = [];
    for (const desk of desks)
      for (const [i, deskCase] of desk.tasks.entries())
        for (const [j, fault] of [doNothing, alwaysRefuse].entries()) {
          const { returns } = await serve(desk, deskCase, mixed(goldClerk(desk), fault, dose), seed * 1000 + 10 * i + j);
          passReturns.push(returns['agent'] ?? 0);
        }
    passes.push(meanOrZero(passReturns));
  }
  return { order: -orderOf(doses, passes, labels, seed), passes };
}

/** The matrix of falls, as the mean of its diagonal less the mean of the rest; with shuffled labels, over many permutations of its columns. */
function contrast(falls: readonly (readonly number[])[], labels: string, seed: number): number {
  const random = rng(seed, 'labels');
  const columns = falls[0].map((_, i) => i);
  const orders = labels === 'shuffled' ? Array.from({ length: 50 }, () => random.shuffle(columns)) : [columns];
  return meanOrZero(
    orders.map((permuted) => {
      const diagonal = meanOrZero(falls.map((row, i) => row[permuted[i]]));
      return diagonal - meanOrZero(falls.flatMap((row, i) => row.filter((_, column) => column !== permuted[i])));
    }),
  );
}

const textOf = (reply: Action | Reply) => ('action' in reply ? reply.action : reply).text;
const callIn = (text: string) =>
  text.startsWith('{') ? (JSON.parse(text) as { readonly tool: string; readonly args: Readonly<Record<string, Json>> }) : null;
const actionsIn = ({ view: { seen: items } }: Turn) => items.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
const messagesIn = ({ view: { seen: items } }: Turn) => items.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).join('\n');

const stageNames = ['state', 'tools', 'arguments', 'observation', 'policy'] as const;
type Stage = (typeof stageNames)[number];

/** The gold clerk, which also reads a record and asks for a yes before it writes; one stage may be spoiled. */
function planner(desk: DeskDocument, spoiled: Stage | null): Script {
  const gold = goldClerk(desk);
  const reader = found(desk.tools.find(({ does }) => does.get !== undefined));
  const [argument] = Object.keys((reader.parameters as { readonly properties: object }).properties);
  const read = (id: string | null) => JSON.stringify({ tool: reader.name, args: id === null ? {} : { [argument]: id } });
  return (turn) => {
    const text = textOf(gold(turn));
    const actions = actionsIn(turn);
    const messages = messagesIn(turn);
    const ids = Object.keys(desk.database[found(reader.does.get)]);
    const meant = ids.find((id) => messages.includes(id));
    const other = ids.findLast((id) => !messages.includes(id));
    const reads = meant === undefined ? 0 : actions.filter((action) => action === read(meant)).length;
    if (callIn(text) === null) return { text: spoiled === 'observation' ? `${text} Your reference is 83417.` : text };
    if (meant !== undefined && reads < (spoiled === 'tools' ? 3 : 1)) return { text: read(meant) };
    if (spoiled === 'state' && other !== undefined && !actions.includes(read(other))) return { text: read(other) };
    if (spoiled === 'arguments' && !actions.includes(read(null))) return { text: read(null) };
    const proposal = `Shall I go ahead with ${meant ?? 'it'}?`;
    return { text: spoiled !== 'policy' && !actions.includes(proposal) ? proposal : text };
  };
}

async function stages(desks: readonly DeskDocument[], labels: string, seed: number): Promise<Json> {
  const scorer = ruleScorer(planning);
  const { signal } = new AbortController();
  const scoresOf = async (spoiled: Stage | null) => {
    const values = new Map<string, number[]>();
    for (const desk of desks)
      for (const [i, deskCase] of desk.tasks.filter(({ gold }) => gold.length > 0).entries()) {
        const { events } = await serve(desk, deskCase, planner(desk, spoiled), seed * 1000 + i);
        const scores = await scorer.score({ episodes: [{ id: 'e', events }], seat: 'agent', rng: rng(seed) }, signal);
        for (const { name, value } of scores) if (value !== null) values.set(name, [...(values.get(name) ?? []), value]);
      }
    return stageNames.map((stage) => meanOrZero(values.get(`planning/${stage}`) ?? []));
  };
  const sound = await scoresOf(null);
  const falls: number[][] = [];
  for (const stage of stageNames) falls.push((await scoresOf(stage)).map((value, i) => sound[i] - value));
  return { contrast: contrast(falls, labels, seed), sound, falls };
}

const kinds = ['chain', 'hidden', 'switch'] as const;
type Skill = (typeof kinds)[number];

/** Acts only on values that it has read: ids that are not said are looked up, other values are asked for, and a changed wish is followed. */
function clerkScript(desk: DeskDocument, deskCase: DeskCase, missing: Skill | null): Script {
  const gold = goldClerk({ ...desk, tasks: missing === 'switch' ? desk.tasks : [deskCase] });
  return (turn) => {
    const text = textOf(gold(turn));
    const call = callIn(text);
    if (call === null) return { text };
    const messages = messagesIn(turn);
    const actions = actionsIn(turn);
    for (const [name, value] of Object.entries(call.args)) {
      if (typeof value !== 'string' || messages.includes(value)) continue;
      const isRecord = Object.values(desk.database).some((table) => value in table);
      if (isRecord && missing === 'chain') return { text: 'I cannot find that.' };
      const question = `Which ${name}?`;
      if (!isRecord && missing === 'hidden') return { text: JSON.stringify({ ...call, args: { ...call.args, [name]: 'as usual' } }) };
      if (!isRecord && !actions.includes(question)) return { text: question };
    }
    const proposal = 'Shall I go ahead?';
    return { text: missing !== 'switch' && !actions.includes(proposal) ? proposal : text };
  };
}

async function difficulties(desks: readonly DeskDocument[], labels: string, seed: number): Promise<Json> {
  const dropOf = async (missing: Skill | null, kind: Skill) => {
    const drops: number[] = [];
    for (const desk of desks) {
      const { kept: cases } = makeCases(desk, { kinds: [kind], each: 12, seed });
      for (const hard of cases.filter(({ id }) => !id.endsWith('-plain'))) {
        const plain = found(cases.find(({ id }) => id === `${hard.id}-plain`));
        const returnFor = async (deskCase: DeskCase) =>
          (await serve(desk, deskCase, clerkScript(desk, deskCase, missing), seed)).returns['agent'] ?? 0;
        drops.push((await returnFor(plain)) - (await returnFor(hard)));
      }
    }
    return meanOrZero(drops);
  };
  const matrixRow = (missing: Skill | null) => Promise.all(kinds.map((kind) => dropOf(missing, kind)));
  const falls = await Promise.all(kinds.map(matrixRow));
  return { contrast: contrast(falls, labels, seed), falls, careful: await matrixRow(null) };
}

async function joinDesk(clerk: string, seed: number): Promise<Json> {
  // The second desk knows two customers of the first one by their email.
  const emails = Object.values(sampleDesk.database['customers']).map(({ email }) => email as string);
  const accounts = Object.entries(salesDesk.database['accounts']).map(([id, row], i) => [id, { ...row, email: emails[i] }] as const);
  const shared = { ...salesDesk, database: { ...salesDesk.database, accounts: Object.fromEntries(accounts) } } as DeskDocument;
  const both = joinDesks([sampleDesk, shared], 'both');
  const random = rng(seed, 'cases');
  const passOf = async (cases: readonly DeskCase[]) => {
    const returns: number[] = [];
    for (const deskCase of random.shuffle(cases).slice(0, 12)) {
      const gold = goldClerk({ ...both, tasks: [deskCase] });
      const first = deskCase.gold[0]?.tool.split('_')[0];
      const script: Script = (turn) => {
        const reply = gold(turn);
        const call = callIn(textOf(reply));
        return clerk === 'one' && call !== null && call.tool.split('_')[0] !== first ? { text: 'That is for the other desk.' } : reply;
      };
      returns.push((await serve(both, deskCase, script, seed)).returns['agent'] ?? 0);
    }
    return meanOrZero(returns);
  };
  const writing = both.tasks.filter(({ gold }) => gold.length > 0);
  const [alone, crossed] = [
    await passOf(writing.filter(({ rubrics }) => rubrics === undefined)),
    await passOf(writing.filter(({ gold }) => new Set(gold.map(({ tool }) => tool.split('_')[0])).size > 1)),
  ];
  return { drop: alone - crossed, alone, crossed };
}
