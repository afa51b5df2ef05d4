/**
 * @file A folder of documents with questions that need several of them: `NAME.md` begins with its title, and `questions.jsonl` has lines of
 * `{"hops": ["Whom does Ann work for?", "Where is {}?"], "path": ["Ann", "The Mill"], "answer": "Oslo"}`. Each hop asks about a page of the path.
 *
 * The agent is the usual one with one tool that opens a page. Its model is a program: of each page it takes the sentence nearest to the hop, and the title in it
 * names the next page. In the end it follows each question again through what its prompt has.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Embedder, likeness } from '@ludus-agents/agents/internal/encoders/encoder';
import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { estimate } from '@ludus-agents/agents/internal/mind/budget';
import type { Tool } from '@ludus-agents/agents/internal/tools/tool';
import { type Model, rng } from '@ludus-agents/kernel/internal/core/index';

export interface HopQuestion {
  readonly hops: readonly string[];
  readonly path: readonly string[];
  readonly answer: string;
}

export interface Folder {
  readonly pages: ReadonlyMap<string, string>;
  readonly questions: readonly HopQuestion[];
}

export function readFolder(folder: string): Folder {
  const files = readdirSync(folder, { recursive: true }).map(String).sort();
  const pages = files
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const [title = '', ...text] = readFileSync(join(folder, file), 'utf8').split('\n');
      return [title.replace(/^#+\s*/, '') || basename(file, '.md'), text.join('\n').trim()] as const;
    });
  const lines = readFileSync(join(folder, 'questions.jsonl'), 'utf8').trim().split('\n');
  return { pages: new Map(pages), questions: lines.map((line) => JSON.parse(line) as HopQuestion) };
}

export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
}

/** The sentence about a page that is nearest to a question. */
async function nearest(
  question: string,
  page: string,
  { sentences, reader }: { readonly sentences: readonly string[]; readonly reader: Embedder },
) {
  const about = sentences.filter((sentence) => sentence.includes(page));
  const [wanted, ...vectors] = await reader.embed([question, ...about]);
  const scores = vectors.map((vector) => (wanted === undefined ? 0 : likeness(wanted, vector)));
  return about[scores.indexOf(Math.max(...scores))];
}

/** The longest title in a sentence other than that of the page itself. */
function titleIn(sentence: string, page: string, { pages }: Folder): string | undefined {
  const titles = [...pages.keys()].filter((title) => title !== page && sentence.replace(page, '').includes(title));
  return titles.toSorted((a, b) => b.length - a.length)[0];
}

export interface FolderReading {
  readonly folder: Folder;
  readonly reader: Embedder;
  readonly seed: number;
  readonly calls: number;
  /** The tokens that a prompt may have. */
  readonly holds: number;
  readonly takesNotes: boolean;
  readonly toolWindow: number | undefined;
}

/** Answers as many questions as the calls allow, in one turn. */
export async function askFolder(reading: FolderReading): Promise<{ readonly right: number; readonly tokens: number }> {
  const { folder, reader, seed, calls, holds, takesNotes, toolWindow } = reading;
  const asked = rng(seed, 'questions')
    .shuffle(folder.questions)
    .slice(0, Math.floor(calls / 3));
  const open: Tool = {
    spec: { name: 'open', description: 'Opens a page.', parameters: { type: 'object', properties: { page: { type: 'string' } } } },
    call: async (input) => {
      const text = folder.pages.get((input as { page: string }).page);
      return { ok: text !== undefined, text: text ?? 'No such page.' };
    },
  };
  let [at, hop, page, tokens, given]: [number, number, string, number, readonly string[]] = [0, 0, asked[0]?.path[0] ?? '', 0, []];
  const wordingOf = (text: string, name: string) => text.replace('{}', name);
  const model: Model = {
    id: 'reader',
    async complete(prompt) {
      const text = prompt.messages.map(({ content }) => String(content)).join('\n');
      const size = estimate(text);
      if (size > holds) throw Object.assign(new Error(`The context holds ${holds} tokens.`), { status: 400 });
      tokens = Math.max(tokens, size);
      const call = (answer: string) => ({
        ...{ model: 'reader', prompt, text: answer, finish: 'stop' as const },
        ...{ usage: { promptTokens: size, completionTokens: 0 }, cost: 0 },
      });
      let note = '';
      const last = String(prompt.messages.at(-1)?.content);
      const question = asked[at];
      if (last.startsWith('Result of') && question !== undefined) {
        const sentence = await nearest(wordingOf(question.hops[hop] ?? '', page), page, { sentences: sentencesOf(last), reader });
        if (takesNotes && sentence !== undefined) note = `I note: ${sentence}\n`;
        hop++;
        const next = sentence === undefined ? undefined : titleIn(sentence, page, folder);
        if (hop < question.hops.length && next !== undefined) page = next;
        else [at, hop, page] = [at + 1, 0, asked[at + 1]?.path[0] ?? ''];
      }
      if (asked[at] !== undefined) return call(`${note}Tool: open ${JSON.stringify({ page })}`);
      given = await Promise.all(asked.map((item) => follow(item, sentencesOf(`${text}\n${note}`))));
      return call(`${note}Speech: I have answered.`);
    },
  };
  /** The answer to a question by sentences alone. */
  async function follow({ hops, path }: HopQuestion, sentences: readonly string[]): Promise<string> {
    let [current, sentence]: [string | undefined, string | undefined] = [path[0], undefined];
    for (const text of hops) {
      if (current === undefined) return '';
      sentence = await nearest(wordingOf(text, current), current, { sentences, reader });
      current = sentence === undefined ? undefined : titleIn(sentence, current, folder);
    }
    return sentence ?? '';
  }
  const settings = { architecture: 'react', steps: calls, ...(toolWindow !== undefined && { toolWindow }) };
  const agent = await llmAgent({
    ...{ spec: { name: 'me', kind: 'llm', tools: ['box'], settings }, seat: 'me', model },
    tools: { open: async () => ({ tools: [open], close: async () => undefined }) },
  });
  const view = { seat: 'me', seen: [{ kind: 'message' as const, to: ['me'], text: 'Answer all questions from the pages.' }] };
  // Where the prompt no longer fits, there are no answers.
  await Promise.resolve(agent.act({ view, ask: { seat: 'me' }, rng: rng(seed) }, new AbortController().signal)).catch(() => undefined);
  return { right: asked.filter(({ answer }, i) => given[i]?.includes(answer) === true).length / asked.length, tokens };
}
