/**
 * @file Desks of three trades. The policy says of each of four tools, in one of several wordings, that it may always be used, never, or
 * not for records in one state. Tasks are made by `ludus desk make` and checked against the rules that the policy was written from,
 * which the command does not see.
 *
 * Options: policy ("read", "none", or "other": that of a desk with other rules), wording ("seen", or "fresh": not seen while the policy
 * reader was written), seed. Prints the share of tasks whose answer (a call or a refusal) is right, the share for tools that are never
 * allowed, and the number of tasks to refuse although the tool could do them.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDesk } from '@ludus-agents/desk/internal/make-desk';
import { type Json, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';

const trades = [
  { table: 'loans', thing: 'loan', states: ['late', 'current'] },
  { table: 'bookings', thing: 'booking', states: ['paid', 'held'] },
  { table: 'orders', thing: 'order', states: ['shipped', 'packed'] },
] as const;
/** Verbs with their forms, and what they write. */
const verbs = [
  { verb: 'cancel', noun: 'Canceling', past: 'canceled' },
  { verb: 'extend', noun: 'Extending', past: 'extended' },
  { verb: 'transfer', noun: 'Transferring', past: 'transferred' },
  { verb: 'return', noun: 'Returning', past: 'returned' },
] as const;

type Rule = 'always' | 'never' | 'not in one state';

type Wordings = Readonly<Record<Rule, readonly string[]>>;

/** The first were seen while the reader of policies was written; the results rest on the others. */
const wordings: Readonly<Record<string, Wordings>> = {
  fresh: {
    always: ['Feel free to VERB any THING.', 'NOUN a THING costs nothing and needs no reason.', 'A THING can be PAST by its customer.'],
    never: [
      'No THING may be PAST.',
      'It is our firm rule that a THING cannot be PAST.',
      'You must not VERB any THING for anybody.',
      'To VERB a THING is forbidden to everyone.',
      'THINGs stay as they are: none is ever PAST.',
    ],
    'not in one state': [
      'Once a THING is STATE, it cannot be PAST.',
      'STATE THINGs must not be PAST.',
      'You may VERB a THING unless it is STATE.',
      'If the state of a THING is STATE, refuse to VERB it.',
    ],
  },
  seen: {
    always: ['A THING may be PAST at any time.', 'We PRESENT every THING on request.', 'NOUN a THING is fine.'],
    never: [
      'A THING is never PAST.',
      'NOUN a THING is not allowed.',
      'Nobody may VERB a THING.',
      'Refuse all requests to VERB a THING.',
      'Whatever the reason, we do not VERB a THING.',
    ],
    'not in one state': [
      'A THING that is STATE is never PAST.',
      'Do not VERB a THING in the state STATE.',
      'NOUN a THING is not allowed if it is STATE.',
    ],
  },
};

export default function run({ policy = 'read', wording = 'fresh', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'policies');
  const outcomes: { readonly right: boolean; readonly rule: Rule; readonly made: boolean }[] = [];
  for (const trade of trades) {
    const rules = verbs.map(() => ({
      rule: random.pick(['always', 'never', 'not in one state'] as const),
      barred: random.pick(trade.states),
    }));
    const written = policyOf(
      policy === 'other' ? random.shuffle(rules) : rules,
      { thing: trade.thing, from: wordings[String(wording)] },
      random,
    );
    for (const { id, tool, refuse, state } of tasksOf(trade, policy === 'none' ? '' : written, Number(seed))) {
      const { rule, barred } = rules[verbs.findIndex(({ verb }) => tool === `${verb}_${trade.thing}`)];
      const mustRefuse = rule === 'never' || (rule === 'not in one state' && state === barred);
      outcomes.push({ right: refuse === mustRefuse, rule, made: refuse && id !== '' });
    }
  }
  const rightOf = (rule?: Rule) =>
    meanOrZero(outcomes.flatMap((each) => (rule === undefined || each.rule === rule ? [each.right ? 1 : 0] : [])));
  return {
    right: rightOf(),
    never: rightOf('never'),
    sometimes: rightOf('not in one state'),
    refused: outcomes.filter(({ made: isRefused }) => isRefused).length,
    tasks: outcomes.length,
  };
}

function policyOf(
  rules: readonly { readonly rule: Rule; readonly barred: string }[],
  { thing: object, from }: { readonly thing: string; readonly from: Wordings },
  random: Rng,
): string {
  const sentences = verbs.map(({ verb, noun, past }, i) =>
    random
      .pick(from[rules[i].rule])
      .replace('THING', object)
      .replace('PRESENT', verb)
      .replace('PAST', past)
      .replace('NOUN', noun)
      .replace('VERB', verb)
      .replace('STATE', rules[i].barred)
      .replace(/\b(a) (?=[aeiou])/gi, '$1n '),
  );
  return `Customers are known by their email.\n\n${sentences.map((sentence) => `- ${sentence}`).join('\n')}\n`;
}

interface MadeTask {
  readonly id: string;
  readonly tool: string;
  readonly refuse: boolean;
  readonly state: string;
}

/** The tasks that the command makes for a desk with a tool for each verb. */
function tasksOf({ table, thing: object, states }: (typeof trades)[number], policy: string, seed: number): readonly MadeTask[] {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-policies-'));
  try {
    const look = {
      name: `find_${object}s`,
      parameters: { type: 'object', properties: { state: { type: 'string', enum: states } } },
      does: { find: table, where: { state: '{state}' } },
    };
    const tools = verbs.map(({ verb, past }) => ({
      name: `${verb}_${object}`,
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      does: { set: table, id: '{id}', to: { [past]: true } },
    }));
    writeFileSync(join(folder, 'tools.json'), JSON.stringify([look, ...tools]));
    writeFileSync(join(folder, 'policy.md'), policy);
    makeDesk('.', folder, { people: 3, seed });
    const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json;
    const records = (read('database.json') as Record<string, Record<string, JsonObject>>)[table];
    return (read('tasks.json') as readonly { readonly id: string; readonly refuse: boolean }[]).map(({ id, refuse }) => {
      const [tool = '', record = ''] = id.split('-');
      return { id, tool, refuse, state: String(records[record]?.['state']) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
