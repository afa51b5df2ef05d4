/**
 * @file What an agent gains by managing its tools and their results: `npm run bench -- tool-context [--seeds=20] [--first=101] [--folder=./docs]`.
 *
 * Modes of MemTool over 30 turns; old results that leave over 100 calls (DeepMiner); passages of long results that are shown whole (REFRAG). The
 * model is a program: it looks tools up when it misses one, takes notes or does not, and never guesses. Figures are about contexts, not about models.
 * With --folder, the last two are measured on your documents and questions (see _folder.ts).
 */

import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { estimate } from '@ludus-agents/agents/internal/mind/budget';
import type { RecallEncoder } from '@ludus-agents/agents/internal/mind/relevance';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { digestOf, type Expansion, fitPassages, wordsAlone } from '@ludus-agents/agents/internal/tools/digests';
import { type Tool, toolset } from '@ludus-agents/agents/internal/tools/tool';
import { openToolContext, type ToolContextSettings, type ToolState } from '@ludus-agents/agents/internal/tools/tool-context';
import { lexicalEmbedder } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
import { bootstrap } from '@ludus-agents/evaluation/internal/scoring/statistics/bootstrap';
import { mean } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { pairedDifference } from '@ludus-agents/evaluation/internal/scoring/statistics/paired';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { type FittedCase, fitExpansion } from '@ludus-agents/learning/internal/expansion';
import { askFolder, type Folder, readFolder, sentencesOf } from './_folder.ts';
import { longTalk } from './_long-talk.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const signal = new AbortController().signal;

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const first = Number(flags['first'] ?? 101);
  const seeds = Array.from({ length: sizeOf(flags, 'seeds', 20, 2) }, (_, i) => first + i);
  const calls = sizeOf(flags, 'calls', 100, 10);
  const place = flags['folder'];
  if (typeof place === 'string') {
    const folder = readFolder(place);
    return [...(await measureFolder(folder, seeds, calls)), ...(await measureDigests(seeds, pagesOf(folder)))];
  }
  return [...(await measureModes(seeds)), ...(await measureWindow(seeds, calls)), ...(await measureDigests(seeds, conversations))];
}

/** The mean over seeds as a figure with its interval. */
function figure(name: string, values: readonly number[], { unit, note = '' }: { readonly unit: string; readonly note?: string }): Figure {
  const [low, high] = bootstrap(values, mean, { seed: 1 }).interval;
  return { name, value: mean(values), unit, note: `95% ${low.toFixed(2)} to ${high.toFixed(2)}${note}` };
}

/** Forty tools of eight kinds. A need is told in words of its tool's description. */
const kinds = ['mail', 'weather', 'money', 'calendar', 'music', 'maps', 'photos', 'recipes'];
const verbs = ['search', 'create', 'delete', 'share', 'print'];
const tools: readonly Tool[] = kinds.flatMap((kind) =>
  verbs.map((verb) => ({
    spec: { name: `${verb}_${kind}`, description: `Can ${verb} ${kind}.`, parameters: { type: 'object' } },
    call: async () => ({ ok: true, text: 'done' }),
  })),
);
const turnsOfUse = 30;

/** A user stays with a kind for some turns. The program calls the tool that is needed, looking it up first where it may; it drops nothing. */
async function measureModes(seeds: readonly number[]): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const arms = (['all', 'workflow', 'autonomous', 'hybrid'] as const).flatMap((mode) => [
    { mode, isKept: true },
    ...(mode === 'all' ? [] : [{ mode, isKept: false }]),
  ]);
  for (const { mode, isKept } of arms) {
    const shares = { done: [] as number[], shown: [] as number[], ratio: [] as number[], lookups: [] as number[] };
    for (const seed of seeds) {
      const dice = rng(seed, 'tools');
      let [state, kind]: [ToolState | undefined, string] = [undefined, dice.pick(kinds)];
      const counts = { done: 0, shown: 0, lookups: 0 };
      for (let turn = 0; turn < turnsOfUse; turn++) {
        const isFollowUp = turn > 0 && dice.next() < 0.4;
        if (!isFollowUp && dice.next() < 0.3) kind = dice.pick(kinds);
        const need = `${dice.pick(verbs)}_${kind}`;
        // A follow-up says nothing that a search could go by.
        const text = isFollowUp ? 'And once more, please.' : `Please ${need.replace('_', ' ')}.`;
        const wanted: string = isFollowUp ? (state?.used[0] ?? need) : need;
        const settings: ToolContextSettings = { mode, cap: 8, digests: false, graph: undefined };
        const context = await openToolContext(toolset(tools, ['*']), text, settings, { before: isKept ? state : undefined });
        const has = () => context.specs().some(({ name }) => name === wanted);
        const looksUp = context.specs().some(({ name }) => name === 'find_tools');
        if (!has() && looksUp) {
          counts.lookups++;
          await context.use({ id: 'f', name: 'find_tools', arguments: { query: wanted.replace('_', ' ') } }, signal);
        }
        const { ok } = await context.use({ id: 'u', name: wanted, arguments: {} }, signal);
        counts.done += Number(ok);
        counts.shown += context.specs().length;
        state = context.state() ?? { active: [], used: [wanted], added: 0, removed: 0, results: {} };
      }
      shares.done.push(counts.done / turnsOfUse);
      shares.shown.push(counts.shown / turnsOfUse);
      shares.lookups.push(counts.lookups / turnsOfUse);
      shares.ratio.push(!isKept || state!.added === 0 ? 0 : state!.removed / state!.added);
    }
    const average = (values: readonly number[]) => mean(values).toFixed(2);
    const note = `; tools in context ${average(shares.shown)} of 40; removal ratio ${average(shares.ratio)}; searches a turn ${average(shares.lookups)}`;
    figures.push(figure(`tools, ${mode}${isKept ? '' : ', forgotten after each turn'}`, shares.done, { unit: 'turns done', note }));
  }
  return figures;
}

/** A library of many books, five of which hold a clue; the answer is all five. */
async function measureWindow(seeds: readonly number[], calls: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const holds of [8000, 64_000])
    for (const takesNotes of [true, false])
      for (const toolWindow of [undefined, 5]) {
        const matches: number[] = [];
        const largest: number[] = [];
        for (const seed of seeds) {
          const { share, tokens } = await readLibrary({ seed, calls, holds, takesNotes, toolWindow });
          matches.push(share);
          largest.push(tokens);
        }
        const name = `${calls} calls, ${holds} tokens, ${takesNotes ? 'notes' : 'no notes'}, ${toContext(toolWindow)}`;
        figures.push(figure(name, matches, { unit: 'right', note: `; largest prompt ${Math.max(...largest)} tokens` }));
      }
  return figures;
}

/** The same on a folder: every third call answers a question. */
async function measureFolder(folder: Folder, seeds: readonly number[], calls: number): Promise<readonly Figure[]> {
  const reader = (await installedEncoder()) ?? lexicalEmbedder;
  const figures: Figure[] = [];
  for (const holds of [8000, 64_000])
    for (const takesNotes of [true, false])
      for (const toolWindow of [undefined, 5]) {
        const readings = [];
        for (const seed of seeds) readings.push(await askFolder({ folder, reader, seed, calls, holds, takesNotes, toolWindow }));
        const name = `your folder, ${calls} calls, ${holds} tokens, ${takesNotes ? 'notes' : 'no notes'}, ${toContext(toolWindow)}`;
        const note = `; largest prompt ${Math.max(...readings.map(({ tokens }) => tokens))} tokens; read by ${reader.name}`;
        const rights = readings.map(({ right }) => right);
        figures.push(figure(name, rights, { unit: 'answers right', note }));
      }
  return figures;
}

function toContext(toolWindow: number | undefined): string {
  return toolWindow === undefined ? 'all results kept' : `${toolWindow} results kept`;
}

interface Reading {
  readonly seed: number;
  readonly calls: number;
  readonly holds: number;
  readonly takesNotes: boolean;
  readonly toolWindow: number | undefined;
}

async function readLibrary({ seed, calls, holds, takesNotes, toolWindow }: Reading): Promise<{ share: number; tokens: number }> {
  const dice = rng(seed, 'library');
  const clues = new Map(
    dice
      .shuffle(Array.from({ length: calls }, (_, i) => i))
      .slice(0, 5)
      .map((book) => [book, `clue-${dice.int(9000) + 1000}`]),
  );
  const dull = 'The pages are about grain, rope, and sails, and nothing in them is of any use to whoever looks for a clue. '.repeat(5);
  const read: Tool = {
    spec: { name: 'read', description: 'Reads a book.', parameters: { type: 'object', properties: { book: { type: 'integer' } } } },
    call: async (input) => ({ ok: true, text: `${dull}${clues.get((input as { book: number }).book) ?? ''}` }),
  };
  let [next, tokens] = [0, 0];
  const model = fakeModel({
    answers({ messages }) {
      const text = messages.map(({ content }) => String(content)).join('\n');
      const size = estimate(text);
      if (size > holds) throw Object.assign(new Error(`The context holds ${holds} tokens.`), { status: 400 });
      tokens = Math.max(tokens, size);
      const last = String(messages.at(-1)?.content).match(/clue-\d+/g) ?? [];
      const note = takesNotes && last.length > 0 ? `I note ${last.join(' ')}.\n` : '';
      if (next < calls) return `${note}Tool: read {"book": ${next++}}`;
      return `Speech: ${[...new Set(text.match(/clue-\d+/g) ?? [])].join(' ')}`;
    },
  });
  const agent = await llmAgent({
    spec: {
      name: 'me',
      kind: 'llm',
      tools: ['box'],
      settings: { architecture: 'react', steps: calls, ...(toolWindow !== undefined && { toolWindow }) },
    },
    seat: 'me',
    model,
    tools: { open: async () => ({ tools: [read], close: async () => undefined }) },
  });
  const view = { seat: 'me', seen: [{ kind: 'message' as const, to: ['me'], text: 'Find all clues in the library.' }] };
  // Where the prompt no longer fits, there is no answer.
  const answer = await Promise.resolve(agent.act({ view, ask: { seat: 'me' }, rng: rng(seed) }, signal)).then(
    ({ action }) => action.text,
    () => '',
  );
  return { share: [...clues.values()].every((clue) => answer.includes(clue)) ? 1 : 0, tokens };
}

/** What a long result shows of a question: five messages make a passage, and the one that tells the fact is in the middle. */
interface LongResult {
  readonly question: string;
  readonly passages: readonly string[];
  /** The messages that answer. */
  readonly answers: readonly string[];
}

function longResults(seed: number, isAsked: (attribute: string) => boolean = () => true): readonly LongResult[] {
  const { seen, asked } = longTalk(200, seed);
  const texts = seen.flatMap((item) => (item.kind === 'message' ? [`${item.from}: ${item.text}`] : []));
  const passages = Array.from({ length: texts.length / 5 }, (_, i) => texts.slice(5 * i, 5 * i + 5).join(' '));
  return asked
    .filter(({ attribute }) => isAsked(attribute))
    .map(({ question, person, value }) => ({
      ...{ question, passages },
      answers: texts.filter((text) => text.startsWith(`${person}:`) && text.includes(value)),
    }));
}

/** Long results to learn a policy from, and others to try it on. */
interface ResultSource {
  readonly name: string;
  readonly seen: readonly LongResult[];
  readonly held: (seed: number) => readonly LongResult[];
}

/** The policy is learned on other conversations about half of the attributes, and tried on the other half. */
const conversations: ResultSource = {
  name: 'long results',
  seen: Array.from({ length: 20 }, (_, i) => longResults(i + 1, (name) => !isHeldOut(name))).flat(),
  held: (seed) => longResults(seed, isHeldOut),
};

/** Each hop of a question asks about all pages at once, paragraph by paragraph; every second question is held out, in parts by seed. */
function pagesOf({ pages, questions }: Folder): ResultSource {
  const passages = [...pages.values()].flatMap((text) => text.split(/\n\n+/));
  const results = questions.map(({ hops, path, answer }) =>
    hops.map((hop, i): LongResult => {
      const sentences = sentencesOf(pages.get(path[i]) ?? '');
      const answers = sentences.filter((sentence) => sentence.includes(path[i + 1] ?? answer));
      return { question: hop.replace('{}', path[i]), passages, answers };
    }),
  );
  const held = results.filter((_, i) => i % 2 === 1);
  return {
    name: 'your folder, long results',
    seen: results.filter((_, i) => i % 2 === 0).flat(),
    held: (seed) =>
      rng(seed, 'held out')
        .shuffle(held)
        .slice(0, Math.ceil(held.length / 5))
        .flat(),
  };
}

async function learnPolicy(seen: readonly LongResult[], encoder?: RecallEncoder): Promise<Expansion> {
  const cases: FittedCase[] = [];
  for (const { question, passages, answers } of seen)
    if (answers.length === 1) cases.push({ answer: answers[0], passages: await fitPassages(passages, question, encoder) });
  return fitExpansion(cases, encoder?.name ?? wordsAlone);
}

function isHeldOut(attribute: string): boolean {
  return ['sport', 'illness', 'study', 'car', 'diet', 'trip'].includes(attribute);
}

async function measureDigests(seeds: readonly number[], { name: source, seen, held }: ResultSource): Promise<readonly Figure[]> {
  const encoder = (await installedEncoder()) ?? undefined;
  type Show = (passages: readonly string[], question: string, seed: number) => Promise<string>;
  const policies = { words: await learnPolicy(seen), ...(encoder !== undefined && { meaning: await learnPolicy(seen, encoder) }) };
  const arms: readonly (readonly [string, Show])[] = [
    ['cut to the same length', async (passages, question) => passages.join('\n').slice(0, (await digestOf(passages, question)).length)],
    ['passages whole by chance', async (passages, question, seed) => digestOf(passages, question, { encoder: chance(seed) })],
    ['passages whole by words', (passages, question) => digestOf(passages, question)],
    [
      'passages whole by a learned policy, words alone',
      (passages, question) => digestOf(passages, question, { expansion: policies.words }),
    ],
    ...(encoder === undefined
      ? []
      : [
          ['passages whole by meaning', (passages, question) => digestOf(passages, question, { encoder })] as [string, Show],
          [
            'passages whole by a learned policy',
            (passages, question) => digestOf(passages, question, { encoder, expansion: policies.meaning }),
          ] as [string, Show],
        ]),
    ['everything', async (passages) => passages.join('\n')],
  ];
  const figures: Figure[] = [];
  const all = new Map<string, readonly number[]>();
  for (const [name, show] of arms) {
    const shares: number[] = [];
    const sizes: number[] = [];
    for (const seed of seeds) {
      const hits: number[] = [];
      for (const { question, passages, answers } of held(seed)) {
        const display = await show(passages, question, seed);
        sizes.push(estimate(display));
        hits.push(Number(answers.some((text) => display.includes(text))));
      }
      shares.push(mean(hits));
    }
    all.set(name, shares);
    figures.push(figure(`${source}, ${name}`, shares, { unit: 'answer shown', note: `; ${Math.round(mean(sizes))} tokens a result` }));
  }
  const learned = all.get('passages whole by a learned policy');
  for (const other of ['passages whole by words', 'passages whole by meaning'])
    if (learned !== undefined) {
      const { value, interval } = pairedDifference(learned.map((a, i) => ({ a, b: all.get(other)![i] })));
      const note = `95% ${interval[0].toFixed(2)} to ${interval[1].toFixed(2)}`;
      figures.push({ name: `${source}, learned policy less ${other}`, value, unit: 'answer shown', note });
    }
  return figures;
}

/** Vectors of chance, as a control. */
function chance(seed: number) {
  const dice = rng(seed, 'chance');
  return {
    name: 'chance',
    embed: async (texts: readonly string[]) => texts.map(() => [dice.next() - 0.5, dice.next() - 0.5, dice.next() - 0.5]),
  };
}
