/**
 * @file Cases that a model writes and rules prove. The model is given the policy, the tools, one customer's records, and what kind of case is wanted. What it
 * writes is read, its calls are run, hard rules may veto it, and a committee votes; every objection goes back to the model, which writes again.
 */

import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { repeatedText } from '@ludus-agents/agents/internal/encoders/repeats';
import { charged, isFault, type Json, type JsonObject, type Model, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import type { DeskCase, DeskDocument } from './environment/document.ts';
import { pairsCase } from './environment/make/knowledge.ts';
import { proveCases, type TurnedDown } from './environment/make/prove.ts';
import { assign, type WriteAssignment } from './write-assignments.ts';
import type { WriteKind } from './write-kinds.ts';

export interface WriteOptions {
  readonly model: Model;
  /** Who votes on a case besides the rules; none without it. */
  readonly reviewer?: Model | undefined;
  readonly kinds: readonly WriteKind[];
  /** How many of each kind are wanted. */
  readonly each: number;
  /** How often one case may be written, the first time included. */
  readonly rounds: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request that must be refused, and an answer that refuses it. */
export interface SafeAnswer {
  readonly request: string;
  readonly answer: string;
}

export interface WrittenCases {
  readonly kept: readonly DeskCase[];
  readonly down: readonly TurnedDown[];
  readonly safe: readonly SafeAnswer[];
  /** Calls of models, cases that were right only after objections, and votes of the committee that could not be read. */
  readonly calls: number;
  readonly rewritten: number;
  readonly unread: number;
}

export async function writeCases(desk: DeskDocument, options: WriteOptions): Promise<WrittenCases> {
  const writing = new Writing(desk, options);
  for (const kind of options.kinds) {
    // Without articles there is nothing to contradict.
    const times = kind === 'article' && desk.knowledge === undefined ? 0 : options.each;
    for (let i = 0; i < times; i++) await writing.writeOne(kind, i);
  }
  return writing.result;
}

class Writing {
  readonly #desk: DeskDocument;
  readonly #options: WriteOptions;
  readonly #kept: DeskCase[] = [];
  readonly #down: TurnedDown[] = [];
  readonly #safe: SafeAnswer[] = [];
  #calls = 0;
  #rewritten = 0;
  #unread = 0;

  constructor(desk: DeskDocument, options: WriteOptions) {
    this.#desk = desk;
    this.#options = options;
  }

  get result(): WrittenCases {
    const counts = { calls: this.#calls, rewritten: this.#rewritten, unread: this.#unread };
    return { kept: [...this.#kept, ...this.#pairs()], down: this.#down, safe: this.#safe, ...counts };
  }

  /** All articles that were written as one more case, in which the pairs that contradict each other are to be found. */
  #pairs(): readonly DeskCase[] {
    const { knowledge } = this.#desk;
    if (knowledge === undefined) return [];
    const rows = this.#kept.flatMap(({ probe, records }) =>
      probe === 'written: article' ? Object.entries(records?.[knowledge] ?? {}) : [],
    );
    const pairs = rows.map(([id]) => `${id.slice(0, id.lastIndexOf('-written-'))} / ${id}`);
    return pairs.length === 0 ? [] : [pairsCase('written-pairs', pairs, { [knowledge]: Object.fromEntries(rows) })];
  }

  /** Writes one case, again with the objections where there are any; what fails to the end is turned down with the last of them. */
  async writeOne(kind: WriteKind, at: number): Promise<void> {
    const id = `written-${kind}-${at + 1}`;
    const dice = rng(this.#options.seed, 'write', this.#desk.name, kind, at);
    const assignment = assign(kind, this.#desk, dice);
    const { customers, database, name } = this.#desk;
    // Customers take turns: what one of them cannot ask for, another may.
    const ids = customers === null ? [] : rng(this.#options.seed, 'customers', name).shuffle(Object.keys(database[customers.table] ?? {}));
    const customer = ids[at % Math.max(1, ids.length)] ?? null;
    let objection: Omit<TurnedDown, 'id'> | null = null;
    let draft = '';
    for (let round = 0; round < this.#options.rounds; round++) {
      const prompt = promptFor(this.#desk, assignment, { customer, draft, objection: objection?.why ?? null, earlier: this.#kept });
      draft = await this.#ask(this.#options.model, prompt, dice);
      const checked = await this.#check(draft, id, assignment, dice);
      if (!('stage' in checked)) {
        this.#kept.push(checked.case);
        if (checked.answer !== undefined) this.#safe.push({ request: checked.case.says[0].say, answer: checked.answer });
        if (round > 0) this.#rewritten++;
        return;
      }
      objection = checked;
    }
    if (objection !== null) this.#down.push({ id, ...objection });
  }

  async #check(
    text: string,
    id: string,
    { finish }: WriteAssignment,
    dice: Rng,
  ): Promise<Omit<TurnedDown, 'id'> | { readonly case: DeskCase; readonly answer?: string }> {
    const draft = draftIn(text);
    if (typeof draft === 'string') return { stage: 'form', why: draft };
    const finished = finish(draft, id);
    if (typeof finished === 'string') return { stage: 'execution', why: finished };
    const { kept, down } = proveCases([finished.case], this.#desk);
    const [testCase] = kept;
    if (testCase === undefined) return { stage: down[0].stage, why: down[0].why };
    const encoder = recallEncoder();
    const requests = this.#kept.map(({ says }) => says[0]?.say ?? '');
    const same = await repeatedText(testCase.says[0]?.say ?? '', requests, encoder);
    if (same >= 0) return { stage: 'veto', why: `The case ${this.#kept[same].id} asks the same (${encoder?.name ?? 'by its words'}).` };
    const against = await this.#vote(testCase, dice);
    if (against.length * 2 > perspectives.length) return { stage: 'committee', why: against.join(' ') };
    return { case: testCase, ...(finished.answer === undefined ? {} : { answer: finished.answer }) };
  }

  /** The objections of the committee: one model asked from several perspectives. An answer that cannot be read is no objection, and is counted. */
  async #vote(testCase: DeskCase, dice: Rng): Promise<readonly string[]> {
    const { reviewer } = this.#options;
    if (reviewer === undefined) return [];
    const { says, knows, gold, refuse, tell } = testCase;
    const objections: string[] = [];
    for (const perspective of perspectives) {
      const prompt = `${perspective}\n\nThe policy of a service desk:\n${this.#desk.policy}\n\nA test case:\n${JSON.stringify({ says, knows, gold, refuse, tell })}\n\nAnswer with OK, or with NO and the reason in one sentence.`;
      const answer = (await this.#ask(reviewer, prompt, dice)).trim();
      const why = /^NO\b\W*(.*)/is.exec(answer)?.[1];
      if (why === undefined && !/^(?:OK|yes)\b/i.test(answer)) this.#unread++;
      if (why !== undefined) objections.push(why.split('\n', 1)[0].slice(0, 300) || 'The case is not right.');
    }
    return objections;
  }

  async #ask(model: Model, content: string, dice: Rng): Promise<string> {
    this.#calls++;
    const call = await charged(model).complete(
      { messages: [{ role: 'user', content }] },
      { maxTokens: 900, temperature: 0.8, seed: dice.int(2 ** 31) },
      this.#options.signal ?? new AbortController().signal,
    );
    return call.text;
  }
}

const perspectives = [
  'You check the policy: is what the case calls right really what the policy says?',
  'You check the customer: would a person write this, with all that is needed and nothing that they cannot know?',
  'You check the records: do the calls do what the customer asks for, and nothing else?',
] as const;

const jsonObject = linear(/\{[\s\S]*\}/);

/** The object that an answer holds, or what is wrong with it. */
function draftIn(text: string): JsonObject | string {
  const json = jsonObject.exec(text)?.[0];
  if (json === undefined) return 'The answer has no JSON object.';
  try {
    const read = jsonFrom(json, 'The case') as Json;
    return isObject(read) ? read : 'The answer is not a JSON object.';
  } catch (thrown) {
    if (isFault(thrown)) return thrown.message;
    throw thrown;
  }
}

interface PromptParts {
  readonly customer: string | null;
  readonly draft: string;
  readonly objection: string | null;
  readonly earlier: readonly DeskCase[];
}

function promptFor(desk: DeskDocument, { wants }: WriteAssignment, { customer, draft, objection, earlier }: PromptParts): string {
  const { customers, database } = desk;
  const rows = Object.entries(database).flatMap(([table, records]) =>
    Object.entries(records)
      .filter(([id, row]) => {
        if (customers === null || customer === null) return true;
        const column = customers.owns[table];
        return table === customers.table ? id === customer : column === undefined || row[column] === customer;
      })
      .slice(0, 8)
      .map(([id, row]) => `${table} ${id} ${JSON.stringify(row).slice(0, 600)}`),
  );
  const tools = desk.tools.map(
    ({ name, description, parameters }) => `${name}: ${description} ${JSON.stringify(parameters['properties'] ?? {})}`,
  );
  const example =
    '{"customer": "ID or null", "knows": {"email|e-mail": "what the customer tells when asked"}, "says": ["what the customer writes first", {"ask": "a question afterwards", "tell": ["its answer"]}], "gold": [{"tool": "NAME", "args": {}}], "refuse": false, "rule": "a line of the policy"}';
  return [
    `You write a test case for a service desk. Wanted: ${wants}.`,
    `The policy:\n${desk.policy}`,
    `The tools:\n${tools.join('\n')}`,
    `Records${customer === null ? '' : ` of the customer ${customer}`}:\n${rows.join('\n')}`,
    ...(earlier.length === 0
      ? []
      : [
          `Begin differently from these: ${earlier
            .slice(-5)
            .map(({ says }) => `“${says[0]?.say}”`)
            .join(', ')}`,
        ]),
    ...(objection === null
      ? []
      : [`You wrote:\n${draft.slice(0, 2000)}\nThis is wrong with it: ${objection}\nWrite the whole case again without this mistake.`]),
    `Answer with one JSON object in this form and nothing else:\n${example}`,
  ].join('\n\n');
}
