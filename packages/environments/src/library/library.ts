/** @file Library: find the answer to a question in linked documents, and cite the documents that prove it. */

import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import type { Action, ParsedMove, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { Fault, parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { type Advance, exercise, taskSplit } from '../exercise.ts';
import { type LibraryDocument, makeCorpus } from './corpus.ts';
import { meaningScores } from './meaning.ts';
import { hasLinks, linkQuestion, readDocuments, readQuestions } from './own-documents.ts';
import { type LibraryQuestion, makeQuestion } from './questions.ts';
import { scripts } from './scripts.ts';
import { beginTeam, reportMessages, type TeamProgress, teamAct, teamAsk, teamKnows, teamSeats } from './team.ts';

const parameters = {
  people: parameter.integer({ min: 4, max: 100, default: 12, description: 'generated library: number of people, with two documents each' }),
  vague: parameter.integer({
    min: 0,
    max: 3,
    default: 2,
    description: 'generated library: how many of town, year, and trade a question names only by their class',
  }),
  noise: parameter.integer({
    min: 0,
    max: 200,
    default: 4,
    description: 'generated library: number of documents that use the same words and prove nothing',
  }),
  contradictions: parameter.integer({
    min: 0,
    max: 50,
    default: 2,
    description: 'generated library: number of old editions that say something else; the later edition is right',
  }),
  documents: parameter.json({ default: null, description: 'your documents, Markdown or HTML by path, instead of a generated library' }),
  questions: parameter.json({
    default: null,
    description: 'questions about your documents, with "ask", "answer" and "cites"; without them, links are asked for',
  }),
  question: parameter.integer({ min: 0, max: 100_000, default: 0, description: 'which of your "questions" is asked, from 1; 0 draws one' }),
  team: parameter.boolean({ default: false, description: 'a planner, a retriever and a writer with one reward, instead of one reader' }),
  report: parameter.boolean({
    default: false,
    description: 'whether the answer is a report with headings and cited claims, which are checked one by one',
  }),
  search: parameter.choice({
    options: ['words', 'meaning', 'both', 'finder'],
    default: 'words',
    description:
      'how documents are found: by words they share (BM25), by word vectors made from the documents themselves, by both ranks, or by the agent on the seat "finder", such as one with a sentence encoder',
  }),
  results: parameter.integer({ min: 1, max: 50, default: 10, description: 'documents that a search lists' }),
  turns: parameter.integer({ min: 1, max: 500, default: 60, description: 'maximum number of searches, opened documents, and answers' }),
  cost: parameter.number({ min: 0, max: 0.1, default: 0, description: 'cost of each search and each opened document' }),
  split: taskSplit,
  retries,
} as const;

/** Without "search", "report", and "question" at their defaults, so that tasks of old logs stay unchanged. */
export type LibraryTask = Omit<TaskOf<typeof parameters>, 'search' | 'report' | 'question'> & {
  readonly search?: 'meaning' | 'both' | 'finder';
  readonly report?: true;
  readonly question?: number;
};
export type Shelf = { readonly documents: readonly LibraryDocument[]; readonly question: LibraryQuestion };
type Alone = {
  readonly used: number;
  readonly opened: readonly string[];
  readonly last: string;
  readonly over: boolean;
  /** The query for the seat "finder". */
  readonly query?: string;
};
type Progress = Alone | TeamProgress;

const seat = 'reader';
const alone = [seat] as const;
const withFinder = [seat, 'finder'] as const;
const isTeam = (progress: Progress): progress is TeamProgress => 'stage' in progress;

export const library = exercise<LibraryTask, Shelf, Progress>({
  id: 'library@1',
  about: {
    summary:
      'A reader answers a question from a library of short linked documents. It searches by words (BM25), by meaning, or by both, opens documents, and cites those that prove its answer. Questions are built backwards from the facts: values are made vaguer as long as only one answer fits, some documents are irrelevant, and old editions contradict later ones. A right answer pays 1/2, plus 1/2 times the F1 of its citations. The maximum is 1, which the script reaches. The documents can be a folder of yours. As a team, a planner, a retriever, and a writer share one reward.',
    tasks: [
      {},
      { vague: 0, noise: 0, contradictions: 0 },
      { people: 6, vague: 3, cost: 0.01 },
      { team: true, vague: 0, people: 8 },
      { documents: sample(), turns: 12 },
      { search: 'both', people: 6 },
      { search: 'finder', people: 6 },
      { documents: sample(), questions: sampleQuestions(), team: true, turns: 12 },
      { documents: sample(), questions: sampleQuestions(), report: true, turns: 12 },
      { documents: sample(), questions: sampleQuestions(), report: true, team: true },
    ],
    turns: 62 * 11,
    words: ['search', 'open', 'answer', 'plan', 'born', 'select', 'none'],
  },
  parameters,
  task(input) {
    const { search, report, question, ...read } = readTask('library', parameters, input);
    const task: LibraryTask = {
      ...read,
      ...(search === 'words' ? {} : { search }),
      ...(report ? { report } : {}),
      ...(question === 0 ? {} : { question }),
    };
    if (task.search === 'finder' && task.team)
      throw new Fault(
        'input',
        'library: "search": "finder" is for one reader. Leave out "team", or search by "words", "meaning" or "both".',
        { code: 'E_CONFLICTING_OPTIONS' },
      );
    if (question > 0 && (task.questions === null || task.split !== 'any'))
      throw new Fault('input', 'library: "question" picks one of "questions". Set "questions", and leave "split" out.');
    if (task.documents === null) {
      if (task.report) throw new Fault('input', 'library: a report needs both "documents" and "questions" with "points".');
      if (task.questions !== null) throw new Fault('input', 'library: "questions" need "documents". Set both.');
      if (task.contradictions > task.people) throw new Fault('input', 'library: "contradictions" must not exceed "people".');
      return task;
    }
    const documents = readDocuments(task.documents);
    if (task.questions !== null) {
      const questions = readQuestions(task.questions, documents);
      if (task.report && questions.some(({ points }) => points === undefined))
        throw new Fault('input', 'library: a question for a report must have "points", the sentences that the report should say.');
      if (question > questions.length)
        throw new Fault('input', `library: "question" is ${question}, but there are ${questions.length} questions.`);
    } else if (task.report) throw new Fault('input', 'library: a report needs "questions" with "points".');
    else if (!hasLinks(documents))
      throw new Fault(
        'input',
        'library: none of the documents links to another, so no question about links can be made. Add your own "questions".',
      );
    return task;
  },
  seats: ({ team, search }) => (team ? teamSeats : search === 'finder' ? withFinder : alone),
  make(task, rng) {
    if (task.documents !== null) {
      const documents = readDocuments(task.documents);
      if (task.questions === null) {
        const question = linkQuestion(documents, rng);
        return question === null ? null : { documents, question };
      }
      // For a question picked by number, the answers of the other questions remain among the choices.
      const questions = readQuestions(task.questions, documents);
      return { documents, question: task.question === undefined ? rng.pick(questions) : questions[task.question - 1] };
    }
    const corpus = makeCorpus(task, rng);
    const question = makeQuestion(corpus, task.vague, rng);
    return question === null ? null : { documents: corpus.documents, question };
  },
  key: ({ question }) => `${question.ask} ${question.answer}`,
  begin(task, shelf) {
    if (task.team) return beginTeam(shelf, task.report === true);
    const text = `${task.report ? reportRules(task) : rules(task)}\nThere are ${shelf.documents.length} documents. Question: ${shelf.question.ask}`;
    const finderMessages = task.search === 'finder' ? [{ to: ['finder'], text: finderRules(task), data: shelf.documents }] : [];
    return { progress: { used: 0, opened: [], last: '', over: false }, messages: [{ to: alone, text }, ...finderMessages] };
  },
  ask({ report, results }, shelf, progress) {
    if (isTeam(progress)) return teamAsk(shelf, progress, report === true);
    if (progress.over) return null;
    const { documents, question } = shelf;
    if (progress.query !== undefined) return { seat: 'finder', data: { query: progress.query, results } };
    const opens = documents.slice(0, 200).map(({ id }) => `[open ${id}]`);
    if (report) return { seat, choices: opens, data: { ask: question.ask, used: progress.used, opened: progress.opened } };
    return { seat, choices: [...opens, ...question.candidates.slice(0, 200).map((name) => `[answer ${name}]`)] };
  },
  act: (task, shelf, progress, action) => (isTeam(progress) ? teamAct(task, shelf, progress, action) : act(task, shelf, progress, action)),
  knows: (_, shelf, progress, askedSeats) =>
    isTeam(progress)
      ? teamKnows(shelf, progress, askedSeats)
      : askedSeats === 'finder'
        ? { documents: shelf.documents, query: progress.query ?? null }
        : {
            ask: shelf.question.ask,
            size: shelf.documents.length,
            ids: shelf.documents.map(({ id }) => id),
            names: shelf.question.candidates,
            ...progress,
          },
  scripts,
});

function act(task: LibraryTask, shelf: Shelf, progress: Alone, action: Action): ParsedMove<Advance<Progress>> {
  if (progress.query !== undefined) return takeFindings(task, shelf, progress, action.text);
  if (task.report && action.text.trimStart().startsWith('#')) return { ok: true, move: takeLongReport(shelf, progress, action.text) };
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const move = /^(search|open|answer) (.+)$/i.exec(read.move);
  if (move === null) return { ok: false, problem: 'A move is like [search words], [open d1] or [answer NAME; d1, d2].' };
  const [, verb, rest] = move as unknown as [string, string, string];
  const used = progress.used + 1;
  if (task.report && verb.toLowerCase() === 'answer')
    return { ok: false, problem: 'The answer is a report: write it with headings that begin with #.' };
  if (verb.toLowerCase() === 'answer') return { ok: true, move: judgeAnswer(shelf, { ...progress, used, over: true }, rest) };
  if (verb.toLowerCase() === 'search' && task.search === 'finder')
    return { ok: true, move: { progress: { ...progress, used, query: rest }, messages: [], ...costOf(task) } };
  let observation: string;
  let opened = progress.opened;
  if (verb.toLowerCase() === 'search') observation = listing(searchDocuments(shelf.documents, rest, task.results, task.search));
  else {
    const document = shelf.documents.find(({ id }) => id === rest.trim());
    if (document === undefined) return { ok: false, problem: `There is no document "${rest.slice(0, 60)}".` };
    observation = `${document.id} ${document.title}\n${document.text}`;
    opened = opened.includes(document.id) ? opened : [...opened, document.id];
  }
  return { ok: true, move: { ...show(task, { used, opened }, observation), ...costOf(task) } };
}

/** Returns what the reader sees after a move, and whether it was the last one. */
function show({ turns }: LibraryTask, { used, opened }: Pick<Alone, 'used' | 'opened'>, observation: string): Advance<Progress> {
  const over = used >= turns;
  const text = over ? `${observation}\nNo turn is left.` : observation;
  return { progress: { used, opened, last: observation, over }, messages: [{ to: alone, text }] };
}

function costOf({ cost }: LibraryTask): Pick<Advance<Progress>, 'rewards'> {
  return cost === 0 ? {} : { rewards: { [seat]: -cost } };
}

/** The finder names documents, best first. The reader sees their titles. */
function takeFindings(task: LibraryTask, { documents }: Shelf, progress: Alone, speech: string): ParsedMove<Advance<Progress>> {
  const ids = speech.trim() === 'none' ? [] : [...new Set(speech.split(/[\s,]+/).filter((id) => id !== ''))];
  const byId = new Map(documents.map((document) => [document.id, document]));
  const wrong = ids.find((id) => !byId.has(id));
  if (wrong !== undefined || speech.trim() === '')
    return {
      ok: false,
      problem:
        `Name documents by their IDs, the best first, or say "none". ${wrong === undefined ? '' : `There is no document "${wrong.slice(0, 60)}".`}`.trim(),
    };
  return { ok: true, move: show(task, progress, listing(ids.slice(0, task.results).map((id) => byId.get(id) as LibraryDocument))) };
}

/** Returns the documents that match a query, best first. When both ranks are combined, each counts 1 / (60 + rank). */
export function searchDocuments(
  documents: readonly LibraryDocument[],
  query: string,
  most: number,
  search?: LibraryTask['search'],
): readonly LibraryDocument[] {
  const byWords = () =>
    bm25(
      termsOf(query),
      documents.map(({ title, text }) => termsOf(`${title} ${text}`)),
    );
  if (search === undefined) return rankDocuments(documents, byWords()).slice(0, most);
  const byMeaning = meaningScores(documents, query);
  if (search === 'meaning') return rankDocuments(documents, byMeaning).slice(0, most);
  const fused = new Map<LibraryDocument, number>();
  for (const scores of [byWords(), byMeaning])
    for (const [at, document] of rankDocuments(documents, scores).entries())
      fused.set(document, (fused.get(document) ?? 0) + 1 / (61 + at));
  return rankDocuments(
    documents,
    documents.map((document) => fused.get(document) ?? 0),
  ).slice(0, most);
}

/** Returns the documents with a score above zero, best first. Ties keep their order. */
function rankDocuments(documents: readonly LibraryDocument[], scores: readonly number[]): readonly LibraryDocument[] {
  return scores
    .map((score, i) => ({ score, document: documents[i] }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ document }) => document);
}

function listing(libraryDocuments: readonly LibraryDocument[]): string {
  return libraryDocuments.length === 0 ? 'Nothing was found.' : libraryDocuments.map(({ id, title }) => `${id} ${title}`).join('\n');
}

function judgeAnswer({ question }: Shelf, progress: Alone, speech: string): Advance<Progress> {
  const [name, cites = ''] = speech.split(';', 2) as [string, string | undefined];
  const cited = [...new Set(cites.split(/[\s,]+/).filter((item) => item !== ''))];
  const right = name.trim().toLowerCase() === question.answer.toLowerCase();
  const hits = cited.filter((id) => question.support.includes(id)).length;
  const f1 = hits === 0 ? 0 : (2 * hits) / (cited.length + question.support.length);
  const reward = right ? 0.5 + 0.5 * f1 : 0;
  const text = `${right ? 'That is right.' : `That is wrong: it is ${question.answer}.`} ${question.support.join(', ')} prove it.`;
  return {
    progress,
    messages: [
      { to: alone, text },
      { to: [], text: 'verdict', data: { right, f1, cited, support: question.support, difficulty: question.support.length } },
    ],
    rewards: { [seat]: reward },
  };
}

/** A report ends the work. Every claim is checked against the documents it cites. */
function takeLongReport(shelf: Shelf, progress: Alone, text: string): Advance<Progress> {
  const { message, verdict, note } = reportMessages(shelf, text);
  return {
    progress: { ...progress, used: progress.used + 1, over: true },
    messages: [{ to: alone, text: message }, note],
    rewards: { [seat]: verdict.f1 },
  };
}

function reportRules({ turns }: LibraryTask): string {
  return `Write a report on the question from the library with ${turns} moves at most. [search words] lists documents, [open ID] shows one. The report ends the work: start it with a heading that begins with #, give it an outline of several headings, and end every sentence with the documents that prove it in brackets, like "Clay holds water (soil.md)." Every sentence is checked against what it cites; you earn the harmonic mean of the share of supported sentences and the share of the points that the report should make.`;
}

function rules({ turns, cost, search }: LibraryTask): string {
  const price = cost === 0 ? '' : ` Each search and each opening costs ${cost}.`;
  const finds = {
    words: 'share words with it',
    meaning: 'are near to it in meaning',
    both: 'share words with it or are near to it in meaning',
    finder: 'fit it',
  }[search ?? 'words'];
  return `Answer the question from the library with ${turns} moves at most.${price} [search words] lists documents that ${finds}, [open ID] shows one, and [answer ANSWER; ID, ID] ends the work: cite all documents that prove the answer and no others. Where documents contradict each other, the later edition is right. Make exactly one move in square brackets.`;
}

function finderRules({ results }: LibraryTask): string {
  return `For each query, name the documents that fit it, the best first: at most ${results} IDs with spaces between them, or "none".`;
}

function sampleQuestions() {
  return [
    { ask: 'What holds water, clay or sand?', answer: 'clay', cites: ['soil.md'], points: ['Clay holds water, sand does not.'] },
    { ask: 'When are plants watered?', answer: 'in the morning', cites: ['water.md'], points: ['Watering is done in the morning.'] },
  ];
}

function sample() {
  return {
    'index.md': '# Garden notes\nSee [soil](soil.md), [water](water.md) and [tools](tools.md).',
    'soil.md': '# Soil\nClay holds [water](water.md); sand does not.',
    'water.md': '# Water\nIn the morning. See [tools](tools.md) for the can.',
    'tools.md': '# Tools\nA can, a spade, and for clay a fork: [soil](soil.md).',
  };
}
