/** @file Checks a desk before it is played: are its cases solvable, does any pass trivially, and does the policy fit its cases? */

import { numbersIn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { actionsIn, announcementsIn } from '../claims.ts';
import { sentencesOf } from '../questions.ts';
import type { DeskCase, DeskDocument } from './document.ts';
import { goldDatabase, outcomeAt } from './outcome.ts';
import { needsWrite, probesOf } from './probes.ts';
import { changesIn, holdsIn, isWrite, runCall, toolOf, withRecords } from './tools.ts';

export interface DeskFinding {
  /** A problem makes a figure wrong; a warning deserves a look. */
  readonly level: 'problem' | 'warning';
  readonly case: string | null;
  readonly says: string;
}

export interface DeskCheck {
  readonly desk: string;
  readonly cases: number;
  readonly solvable: number;
  /** Cases that pass with a greeting alone. */
  readonly passedByNothing: readonly string[];
  readonly probes: Readonly<Record<string, number>>;
  readonly findings: readonly DeskFinding[];
}

export function checkDesk(desk: DeskDocument): DeskCheck {
  const findings: DeskFinding[] = [];
  const add = (level: DeskFinding['level'], deskCase: DeskCase | null, says: string) =>
    findings.push({ level, case: deskCase?.id ?? null, says });
  let solvable = 0;
  const passedByNothing: string[] = [];
  const ids = desk.tasks.map(({ id }) => id);
  const limits = limitsIn(desk.policy);
  for (const task of desk.tasks) {
    const before = findings.filter(({ level }) => level === 'problem').length;
    if (ids.indexOf(task.id) !== desk.tasks.indexOf(task))
      add('problem', task, `Another case has the id ${task.id}. Give each case a unique id.`);
    const current = withRecords(desk, task);
    checkCase(current, task, add);
    checkLimits(limits, task, add);
    if (findings.filter(({ level }) => level === 'problem').length === before) solvable++;
    if (passesByNothing(current, task)) {
      passedByNothing.push(task.id);
      add('warning', task, 'An agent that does and says nothing passes it. Add something that must be told or refused.');
    }
  }
  for (const { name, does } of desk.tools)
    if (does.returns === null) add('warning', null, `The tool ${name} does nothing: its answer is always null. Fill in its "does".`);
  checkTables(desk, add);
  lintPolicy(desk, add);
  const probes = Object.fromEntries([...Map.groupBy(probesOf(desk), ({ probe }) => probe)].map(([probe, cases]) => [probe, cases.length]));
  if (probes['leak'] === undefined) add('warning', null, 'No private columns are defined ("customers"), so leaks cannot be detected.');
  return { desk: desk.name, cases: desk.tasks.length, solvable, passedByNothing, probes, findings };
}

/** A tool that reads or changes a table without any source of records never finds anything. */
function checkTables({ tools, database, tasks }: DeskDocument, add: Add): void {
  const filled = [...tools.flatMap(({ does }) => does.add ?? []), ...tasks.flatMap(({ records = {} }) => Object.keys(records))];
  const tables = [...new Set([...Object.keys(database), ...filled])];
  for (const { name, does } of tools)
    for (const table of [does.get, does.find, does.set, does.remove, does.search])
      if (table !== undefined && !table.includes('{') && !tables.includes(table))
        add(
          'problem',
          null,
          `The tool ${name} uses the unknown table "${table}". Available: ${tables.join(', ') || 'none'}.${didYouMean(table, tables)}`,
        );
}

type Add = (level: DeskFinding['level'], deskCase: DeskCase | null, says: string) => void;

function checkCase(desk: DeskDocument, deskCase: DeskCase, add: Add): void {
  let { database } = desk;
  for (const call of deskCase.gold) {
    const result = runCall(desk, database, call);
    if (result.ok) database = result.database;
    else {
      const tool = toolOf(desk, call);
      // A failing lookup changes nothing. Released tasks have many of them and are still solvable.
      add(
        isWrite(tool) || tool === undefined ? 'problem' : 'warning',
        deskCase,
        `Its gold call ${JSON.stringify(call)} fails: ${result.problem}${
          tool === undefined
            ? didYouMean(
                call.tool,
                desk.tools.map(({ name }) => name),
              )
            : ''
        }`,
      );
    }
  }
  const writes = needsWrite(desk, deskCase);
  for (const hold of deskCase.holds ?? []) {
    const { holds, found } = holdsIn(database, hold);
    if (!holds)
      add('problem', deskCase, `After its gold calls ${JSON.stringify(hold)} is not true: the result is ${JSON.stringify(found)}.`);
  }
  if (deskCase.refuse && writes) add('problem', deskCase, 'It should be refused, but its gold calls change the database.');
  if (writes && Object.keys(changesIn(desk.database, goldDatabase(desk, deskCase))).length === 0)
    add('problem', deskCase, 'Its gold calls do not change the database, so doing nothing also passes.');
  if (deskCase.customer !== null && desk.customers !== null && desk.database[desk.customers.table]?.[deskCase.customer] === undefined)
    add('problem', deskCase, `Its customer ${deskCase.customer} is not in the table ${desk.customers.table}.`);
  if (deskCase.persona !== null && !desk.personas.some(({ name }) => name === deskCase.persona))
    add(
      'problem',
      deskCase,
      `Unknown persona ${deskCase.persona}. Available: ${desk.personas.map(({ name }) => name).join(', ') || 'none'}.${didYouMean(
        deskCase.persona,
        desk.personas.map(({ name }) => name),
      )}`,
    );
  if (writes && !deskCase.says.some(({ kind, tell }) => kind === 'ask' && tell.length > 0))
    add(
      'warning',
      deskCase,
      'A bot without hooks is judged only by what it says here. Add a question afterwards ({"ask", "tell"}) that shows whether the action was done.',
    );
  checkSources(desk, deskCase, add);
  for (const words of [...deskCase.tell.map(String), ...deskCase.says.flatMap(({ tell }) => tell.map(String))])
    if ([...deskCase.never, ...desk.forbidden].some((never) => never.toLowerCase() === words.toLowerCase()))
      add('problem', deskCase, `"${words}" is both required and forbidden.`);
}

interface Limit {
  readonly most: number;
  readonly noun: string;
}

const limit = linear(/\b(up to|at most|(?:no|not|never) more than|maximum of|more than) (\d+) (\w+)/gi);

/** The amounts that a policy limits: "up to 20 hives in total". What is free or costs something up to an amount is not limited to it. */
function limitsIn(policy: string): readonly Limit[] {
  return sentencesOf(policy).flatMap((sentence) =>
    /\b(?:free|costs?|fees?|price|charged?|discounts?)\b/i.test(sentence)
      ? []
      : [...sentence.matchAll(limit)].flatMap(([, lead = '', most, noun = '']) =>
          /^more/i.test(lead) && !/\b(?:never|not|refused?)\b/i.test(sentence) ? [] : [{ most: Number(most), noun }],
        ),
  );
}

/** A number in a gold call above a limit of the policy: "up to 20 hives" limits the argument "hives". */
function checkLimits(limits: readonly Limit[], deskCase: DeskCase, add: Add): void {
  const stem = (word: string) => word.toLowerCase().replace(/(?:es|s)$/, '');
  for (const { tool, args } of deskCase.gold)
    for (const [name, value] of Object.entries(args)) {
      const terms = name.split(/[_\W]/).map(stem);
      const broken = limits.find(({ most, noun }) => terms.includes(stem(noun)) && Number(value) > most);
      if (broken !== undefined)
        add('problem', deskCase, `The policy allows at most ${broken.most} ${broken.noun}, but its gold call ${tool} has ${value}.`);
    }
}

/** A required fact that is in neither the policy nor a record: usually a mistake, but it may be computed, like a total. */
function checkSources(desk: DeskDocument, deskCase: DeskCase, add: Add): void {
  const sources = `${desk.policy}\n${JSON.stringify([desk.database, goldDatabase(desk, deskCase), deskCase.knows, deskCase.gold])}`;
  for (const fact of [...deskCase.tell, ...deskCase.says.flatMap(({ tell }) => tell)]) {
    const dates = String(fact)
      .split('|')
      .filter((word) => /^\d{4}-\d{2}-\d{2}$/.test(word));
    if (dates.length > 0 && !dates.some((date) => sources.includes(date)))
      add(
        'warning',
        deskCase,
        `"${fact}" must be told, but neither the policy nor a record contains it. Correct it, or add it to a record.`,
      );
  }
}

function passesByNothing(desk: DeskDocument, deskCase: DeskCase): boolean {
  const lines = [
    { by: 'customer', text: deskCase.says[0]?.say ?? '' },
    { by: 'agent', text: 'Thank you for your message.' },
  ] as const;
  return outcomeAt({ desk, case: deskCase, database: desk.database, lines, judged: 'words' }, 'stop').reward === 1 && !deskCase.refuse;
}

/** Policy defects that make conversations impossible to judge: an empty policy, contradictory numbers, rules that no case touches. */
function lintPolicy({ policy, tools, tasks, forbidden }: DeskDocument, add: Add): void {
  const rules = policy.split('\n').filter((line) => /^\s*(?:[-*]|\d+\.)\s+\S/.test(line));
  if (rules.length === 0) add('warning', null, 'The policy has no list of rules ("- …"). Put each rule on a separate line.');
  const visited = new Map<string, string>();
  for (const rule of rules) {
    const words = rule
      .toLowerCase()
      .replace(/\d+(?:[.,]\d+)?/g, '#')
      .replace(/\s+/g, ' ')
      .trim();
    const before = visited.get(words);
    if (before !== undefined)
      add(
        before === rule ? 'warning' : 'problem',
        null,
        before === rule
          ? `The policy contains this twice: ${rule.trim()}`
          : `The policy contradicts itself: "${before.trim()}" and "${rule.trim()}".`,
      );
    visited.set(words, rule);
    if (/\b(?:TODO|TBD|XXX|FIXME)\b/.test(rule)) add('warning', null, `The policy is not finished: ${rule.trim()}`);
    if (/\b(?:usually|normally|as appropriate|if possible|where reasonable|etc)\b/i.test(rule))
      add('warning', null, `A rule that leaves open when it holds cannot be judged: ${rule.trim()}`);
    if (announcementsIn(rule).length > 0 && numbersIn(rule).length === 0 && /\bsoon\b/i.test(rule))
      add('warning', null, `No time limit is given: ${rule.trim()}`);
  }
  for (const { name, does } of tools.filter(isWrite)) {
    if (!tasks.some(({ gold }) => gold.some(({ tool }) => tool === name))) add('warning', null, `No case needs ${name}.`);
    const [verb = '', ...nouns] = name.toLowerCase().split('_');
    // A policy that mentions orders does not necessarily say when one may be cancelled.
    const table = (does.set ?? does.add ?? does.remove ?? '').toLowerCase();
    const terms = [verb, ...nouns.filter((noun) => !table.startsWith(noun.slice(0, 5)))];
    const isMentioned = terms.some((term) => policy.toLowerCase().includes(term.slice(0, 5))) || actionsIn(policy, [name]).includes(verb);
    if (!isMentioned) add('warning', null, `No rule seems to say when ${name} may be used. If one does in other words, ignore this.`);
  }
  if (!tasks.some(({ refuse }) => refuse))
    add('warning', null, 'No case has to be refused, so an agent that agrees to everything looks good.');
  for (const words of forbidden)
    if (policy.toLowerCase().includes(words.toLowerCase())) add('warning', null, `The policy contains a forbidden phrase: ${words}`);
}
