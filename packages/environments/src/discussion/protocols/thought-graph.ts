/**
 * @file A graph of thoughts (ARIES, arXiv 2502.21208): the lead inspects the graph and chooses an action (decompose, solve, refine, reduce,
 * aggregate, answer), and the others carry it out. An invalid action changes nothing, and the lead is told why. With `samples`, the lead is
 * asked that many times for each action, and its most frequent choice is used.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { answerWords, type Discussion, othersOf, type Protocol, plurality, type Speech, settle, speechesOf } from '../protocol.ts';
import { lineIn, numberIn } from '../speech.ts';

interface Thought {
  readonly id: number;
  readonly under: readonly number[];
  readonly solved: boolean;
  readonly score: number;
  /** Index of the speech that last wrote it; −1 for the question itself. */
  readonly at: number;
}

interface Graph {
  readonly thoughts: readonly Thought[];
  /** The action that the lead chose and that is not done yet. */
  readonly open: Act | null;
  readonly refused: string;
  readonly answer: number | null;
}

interface Act {
  readonly act: string;
  readonly ids: readonly number[];
}

const acts = ['decompose', 'solve', 'refine', 'reduce', 'aggregate', 'answer'];
const mostParts = 8;

export const thoughtGraph: Protocol = {
  about: 'the lead chooses acts on a graph of thoughts (decompose, solve, refine, reduce, aggregate), the others do them (ARIES)',

  next(discussion) {
    const { said, lead, choices } = discussion;
    const { thoughts, open, refused, answer } = graphOf(discussion);
    const hears = speechesOf(discussion, () => true);
    if (answer !== null) {
      const speech = said[thoughts.find(({ id }) => id === answer)?.at ?? -1];
      return { result: { answer: speech?.answer ?? settle(discussion).answer } };
    }
    if (open !== null) {
      const workers = othersOf(discussion);
      const seat: Seat = workers[(open.ids[0] ?? 0) % Math.max(1, workers.length)] ?? lead;
      const part = `do ${open.act} ${open.ids.join(' ')}`;
      const act = open.act === 'decompose' ? {} : { act: true as const };
      return { asks: [{ seat, part, tell: askFor(open, discussion), hears, choices, ...act }] };
    }
    const list = thoughts.map(
      ({ id, solved, under }) => `${id} ${solved ? 'solved' : 'open'}${under.length === 0 ? '' : ` from ${under.join(' ')}`}`,
    );
    const tell = `Thoughts: ${list.join('; ')}. ${refused}Choose one act: "Do: decompose N", "Do: solve N", "Do: refine N", "Do: reduce K" (keep the K best solved), "Do: aggregate N M", or "Do: answer N" to end.`;
    return { asks: [{ seat: lead, part: 'act', tell, hears }] };
  },
};

function askFor({ act, ids }: Act, discussion: Discussion): string {
  const where = `thought ${ids.join(' and ')}`;
  if (act === 'decompose') return `Split ${where}: up to ${mostParts} lines "Part: …".`;
  const forms: Readonly<Record<string, string>> = {
    solve: `Solve ${where}.`,
    refine: `Make the solution of ${where} better.`,
    aggregate: `Make one solution of ${where}.`,
  };
  return `${forms[act]} You may give it a mark from 0 to 10: "Mark: …". ${answerWords(discussion)}`;
}

/** Builds the graph from the speeches. */
function graphOf({ said, settings }: Pick<Discussion, 'said' | 'settings'>): Graph {
  const samples = typeof settings['samples'] === 'number' ? Math.max(1, Math.floor(settings['samples'])) : 1;
  let graph: Graph = { thoughts: [{ id: 1, under: [], solved: false, score: 0, at: -1 }], open: null, refused: '', answer: null };
  let wanted: string[] = [];
  for (const [at, speech] of said.entries()) {
    if (speech.part === 'act') {
      wanted.push(lineIn(speech.text, 'do')?.toLowerCase().replace(/\s+/g, ' ') ?? '');
      if (wanted.length < samples) continue;
      graph = chooseAct(graph, plurality(wanted).answer);
      wanted = [];
    } else if (graph.open !== null) graph = afterAct(graph, graph.open, speech, at);
  }
  return graph;
}

/** Returns the graph with the chosen action, or with the reason why it is invalid. */
function chooseAct(graph: Graph, wanted: string): Graph {
  const act = acts.find((name) => wanted.startsWith(name)) ?? '';
  const ids = [...wanted.matchAll(/\d+/g)].map(Number);
  const refuse = (why: string): Graph => ({ ...graph, refused: `Nothing was done: ${why}. ` });
  if (act === '') return refuse('no act was named');
  if (act === 'reduce') return reduceGraph(graph, ids[0] ?? 0, refuse);
  const matchingThoughts = ids.map((id) => graph.thoughts.find((thought) => thought.id === id));
  if (ids.length === 0 || matchingThoughts.includes(undefined)) return refuse('there is no such thought');
  const isSolved = matchingThoughts.every((thought) => thought?.solved === true);
  if ((act === 'decompose' || act === 'solve') && (isSolved || ids.length > 1)) return refuse(`${act} needs one open thought`);
  if ((act === 'refine' || act === 'answer') && (!isSolved || ids.length > 1)) return refuse(`${act} needs one solved thought`);
  if (act === 'aggregate' && (!isSolved || new Set(ids).size < 2)) return refuse('aggregate needs two or more solved thoughts');
  return act === 'answer' ? { ...graph, refused: '', answer: ids[0] } : { ...graph, refused: '', open: { act, ids } };
}

/** Keeps only the `keep` best solved thoughts, and all open ones. */
function reduceGraph(graph: Graph, keep: number, refuse: (why: string) => Graph): Graph {
  const solved = graph.thoughts.filter((thought) => thought.solved).sort((a, b) => b.score - a.score || a.id - b.id);
  if (keep < 1 || keep >= solved.length) return refuse('reduce needs a number smaller than that of the solved thoughts');
  const gone = new Set(solved.slice(keep).map(({ id }) => id));
  return { ...graph, refused: '', thoughts: graph.thoughts.filter(({ id }) => !gone.has(id)) };
}

function afterAct(graph: Graph, { act, ids }: Act, speech: Speech, at: number): Graph {
  const done = { ...graph, open: null, refused: '' };
  const next = Math.max(...graph.thoughts.map(({ id }) => id)) + 1;
  const score = numberIn(lineIn(speech.text, 'mark')) ?? 0;
  if (act === 'decompose') {
    const parts = speech.text.split('\n').filter((line) => /^[\s>*_#-]*part:\s*\S/i.test(line)).length;
    if (parts === 0) return { ...done, refused: 'Nothing was done: no part was named. ' };
    const results = Array.from({ length: Math.min(mostParts, parts) }, (_, i) => ({
      id: next + i,
      under: ids,
      solved: false,
      score: 0,
      at,
    }));
    return { ...done, thoughts: [...graph.thoughts, ...results] };
  }
  if (speech.answer === null) return { ...done, refused: 'Nothing was done: there was no answer. ' };
  if (act === 'aggregate') return { ...done, thoughts: [...graph.thoughts, { id: next, under: ids, solved: true, score, at }] };
  return {
    ...done,
    thoughts: graph.thoughts.map((thought) => (thought.id === ids[0] ? { ...thought, solved: true, score, at } : thought)),
  };
}
