import { type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { type Corpus, type Facts, makeCorpus } from './corpus.ts';
import { library, searchDocuments } from './library.ts';
import { linksOf } from './own-documents.ts';
import { fitting, makeQuestion } from './questions.ts';
import { planFine, selection, wordF1 } from './team.ts';

const script = (name: string) => library.scripts?.[name] as Script;
const say = (state: Parameters<typeof library.step>[0], text: string) => library.step(state, { reader: { text } }, rng(1));

describe('library questions', () => {
  it('have one answer with town class, decade, and trade, and two without the decade', () => {
    const person = (name: string, town: string, year: number, trade: string) => ({ name, town, year, trade });
    const facts: Facts = {
      people: [person('a', 'a1', 1991, 'x'), person('b', 'a1', 1985, 'x'), person('c', 'b1', 1993, 'x'), person('d', 'a1', 1995, 'y')],
      regions: { a1: 'A', b1: 'B' },
      materials: {},
    };
    expect(fitting(facts, { region: 'A', decade: 1990, trade: 'x' }).map(({ name }) => name)).toEqual(['a']);
    expect(fitting(facts, { region: 'A', trade: 'x' })).toHaveLength(2);
  });

  it('have exactly one answer and as many supporting documents as facts', () => {
    let madeCount = 0;
    for (let seed = 0; seed < 200; seed++) {
      const corpus: Corpus = makeCorpus({ people: 12, noise: 4, contradictions: 2 }, rng(seed));
      const question = makeQuestion(corpus, 3, rng(seed, 'question'));
      if (question === null) continue;
      madeCount++;
      expect(question.support).toHaveLength(4);
      expect(new Set(question.support).size).toBe(4);
      for (const [wrong] of corpus.contradictions) expect(question.support).not.toContain(wrong);
    }
    expect(madeCount).toBeGreaterThan(50);
  });

  it('do not reveal the answer before a document is opened', () => {
    for (let seed = 0; seed < 30; seed++) {
      const { state, messages } = library.start(library.task({}), rng(seed));
      expect(messages[0]!.text).not.toContain(state.made.question.answer);
    }
  });

  it('look the same for two answers hidden in the same documents', () => {
    const { state } = library.start(library.task({}), rng(3));
    const other = { ...state, made: { ...state.made, question: { ...state.made.question, answer: 'Somebody Else', support: ['d1'] } } };
    for (const move of ['[search register]', '[open d3]']) {
      const [step, two] = [say(state, move), say(other, move)];
      expect([step.messages, step.asks]).toEqual([two.messages, two.asks]);
    }
  });
});

describe('library search', () => {
  const documents = (bridge: string) => ({
    'ward.md': '# Ward\nThe physician looks after patients.',
    'notes.md': `# Notes\n${bridge}`,
    'soil.md': '# Soil\nClay holds rain; sand lets it through.',
  });
  const found = (bridge: string, search: string) => {
    const { state } = library.start(library.task({ documents: documents(bridge), questions, search }), rng(1));
    return say(state, '[search doctor]').messages[0]!.text.match(/^\S+(?= )/gm);
  };
  const questions = [{ ask: 'Who looks after patients?', answer: 'the physician', cites: ['ward.md'] }];
  const beside = 'A doctor, also called physician, came by.';

  it('by meaning finds synonyms that a word search misses', () => {
    expect(found(beside, 'words')).toEqual(['notes.md']);
    expect(found(beside, 'meaning')).toEqual(['notes.md', 'ward.md']);
    expect(found(beside, 'both')).toEqual(['notes.md', 'ward.md']);
  });

  it('by meaning finds no more than a word search if no passage connects the two words', () => {
    const apart = 'A doctor came by.\n\nAlso called: the physician.';
    expect(found(apart, 'meaning')).toEqual(['notes.md']);
    expect(found('A doctor came by.', 'meaning')).toEqual(['notes.md']);
    expect(found('A doctor came by.', 'both')).toEqual(['notes.md']);
  });

  it('by meaning finds the synonym among 300 unrelated pages', () => {
    const noise = Array.from({ length: 300 }, (_, i) => [`n${i}`, `Page n${i} is about matter m${i} and thing t${i % 40}.`] as const);
    const task = library.task({
      documents: { ...documents(beside), ...Object.fromEntries(noise) },
      questions,
      search: 'meaning',
      results: 2,
    });
    const { state } = library.start(task, rng(1));
    expect(say(state, '[search doctor]').messages[0]!.text).toBe('notes.md Notes\nward.md Ward');
  });

  it('is by words by default and is then omitted from the task', () => {
    expect(library.task({ search: 'words' })).toEqual(library.task({}));
    expect(library.task({})).not.toHaveProperty('search');
    expect(() => library.task({ search: 'vectors' })).toThrow(/words.*meaning.*both/);
  });
});

describe('library answers', () => {
  it('are paid for the name and for exactly the supporting documents', () => {
    const { state } = library.start(library.task({}), rng(5));
    const { answer, support } = state.made.question;
    const paid = (text: string) => say(state, text).rewards?.['reader'];
    expect(paid(`[answer ${answer}; ${support.join(', ')}]`)).toBe(1);
    expect(paid(`[answer ${answer}]`)).toBe(0.5);
    const wrong = state.made.documents.find(({ id }) => !support.includes(id))!.id;
    expect(paid(`[answer ${answer}; ${support[0]}, ${wrong}]`)).toBeCloseTo(0.5 + 1 / (2 + support.length), 12);
    expect(paid(`[answer Nobody Atall; ${support.join(', ')}]`)).toBe(0);
  });
});

describe('library team', () => {
  it('is paid according to the tables', () => {
    expect(0.6 - (selection('Document1,Document1', 5) === null ? 1 : 0)).toBeCloseTo(-0.4, 12);
    expect(0.6 - planFine(['a', 'b', 'c', 'd', 'e'])).toBeCloseTo(0.1, 12);
    expect(planFine(['a'.repeat(301)])).toBe(0.5);
    expect([selection('none', 3), selection('Document4', 3), selection('1, 2', 3), selection('Document2, Document1', 3)]).toEqual([
      [],
      null,
      null,
      [2, 1],
    ]);
    expect([wordF1('Mira Lund', 'mira lund'), wordF1('Mira', 'Mira Lund'), wordF1('nobody', 'Mira Lund')]).toEqual([1, 2 / 3, 0]);
  });

  it('is shown the final answer', () => {
    const { state } = library.start(library.task({ team: true, vague: 0 }), rng(1));
    const [first = '', second = ''] = state.made.question.candidates;
    const after = (name: string) => {
      const moves = { planner: '[plan born]', retriever: '[select none]', writer: `[answer ${name}]` };
      return Object.entries(moves).reduce((before, [seat, text]) => library.step(before, { [seat]: { text } }, rng(1)).state, state);
    };
    expect(library.knows?.(after(first), 'planner')).not.toEqual(library.knows?.(after(second), 'planner'));
  });

  it('fines only the seat with the malformed answer', () => {
    let step = library.start(library.task({ team: true, vague: 0 }), rng(1));
    const { answer } = step.state.made.question;
    for (const [seat, text] of [
      ['planner', '[plan a; b; c; d; e]'],
      ['retriever', '[select everything]'],
      ['writer', `[answer ${answer}]`],
    ] as const)
      step = library.step(step.state, { [seat]: { text } }, rng(1));
    expect(step.rewards).toEqual({ planner: 0.5, retriever: 0, writer: 1 });
  });
});

describe('a finder', () => {
  const documents = { 'ward.md': '# Ward\nThe physician looks after patients.', 'soil.md': '# Soil\nClay holds rain.' };
  const questions = [{ ask: 'Who looks after patients?', answer: 'the physician', cites: ['ward.md'] }];
  const { state } = library.start(library.task({ documents, questions, search: 'finder' }), rng(1));
  const asked = say(state, '[search doctor]');
  const answer = (text: string) => library.step(asked.state, { finder: { text } }, rng(1));

  it('is asked for the documents that fit a query, and the reader is shown their titles', () => {
    expect(asked.asks).toEqual([{ seat: 'finder', data: { query: 'doctor', results: 10 } }]);
    expect(answer('ward.md soil.md ward.md')).toMatchObject({
      messages: [{ to: ['reader'], text: 'ward.md Ward\nsoil.md Soil' }],
      asks: [{ seat: 'reader' }],
    });
    expect(answer('none').messages[0]!.text).toBe('Nothing was found.');
  });

  it.each(['', 'cellar.md'])('is asked again after the answer "%s"', (text) => {
    expect(answer(text).asks).toMatchObject([{ seat: 'finder' }]);
  });

  it('is not available to a team', () => {
    expect(() => library.task({ search: 'finder', team: true })).toThrow(expect.objectContaining({ code: 'E_CONFLICTING_OPTIONS' }));
  });

  it('is a script that goes by words', async () => {
    const policy = scriptedPolicy('researcher', script('researcher'));
    const task = { search: 'finder', people: 6 };
    const [log] = await rollout(library, { reader: policy, finder: policy }, { seeds: [3], task });
    expect(log!.at(-1)).toMatchObject({ kind: 'end', returns: { reader: 1 } });
  });
});

describe('custom documents', () => {
  const documents = {
    'a.md': '# A\n[b](b.md) [c](sub/c.html)',
    'b.md': '# B\n[c](./sub/c.html)',
    'sub/c.html': '<title>C</title><a href="../a.md">a</a>',
  };

  it('have their links resolved', () => {
    const all = Object.entries(documents).map(([id, text]) => ({ id, title: id, text }));
    const knownNames = new Set(Object.keys(documents));
    expect(all.map((item) => linksOf(item, knownNames))).toEqual([['b.md', 'sub/c.html'], ['sub/c.html'], ['a.md']]);
    expect(searchDocuments(all, 'title', 3).map(({ id }) => id)).toEqual(['sub/c.html']);
  });

  it('can come with custom questions', async () => {
    const task = {
      documents,
      questions: [{ ask: 'Which letter is in the folder?', answer: 'C', cites: ['sub/c.html'] }],
    } as unknown as Json;
    const { state } = library.start(library.task(task), rng(1));
    expect(say(state, '[answer c; sub/c.html]').rewards).toEqual({ reader: 1 });
    // The script opens the results of a search for the question, and names the candidate that it finds there.
    const [log] = await rollout(library, { reader: scriptedPolicy('researcher', script('researcher')) }, { seeds: [1], task });
    expect(log!.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
  });

  it('generate questions from links, which the researcher script follows', async () => {
    const logs = await rollout(
      library,
      { reader: scriptedPolicy('researcher', script('researcher')) },
      { seeds: [1, 2, 3, 4], task: { documents: { ...documents, 'd.md': '# D\n[a](a.md) and [b](b.md)' }, turns: 9 } },
    );
    for (const log of logs) expect(log.at(-1)).toMatchObject({ returns: { reader: 1 } });
  });

  it.each([
    [{ documents: [] }, /object of texts/],
    [{ documents: { 'a b': 'x', c: 'y' } }, /path without spaces/],
    [{ documents, questions: [{ ask: 'x' }] }, /question 1 must have/],
    [{ questions: [] }, /library: "questions" need "documents"\. Set both\./],
    [{ documents, report: true }, /points/],
    [{ documents: { 'a.md': '# A', 'b.md': '# B' } }, /none of the documents links to another/],
  ])('are rejected if invalid: %j', (task, sentence) => {
    expect(() => library.task(task as unknown as Json)).toThrow(sentence);
  });
});
