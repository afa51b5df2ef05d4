/**
 * @file A designer (MAS-ZERO, arXiv 2505.14996): the lead builds a team for this question out of blocks, the blocks run, the lead judges
 * each one, and unsolved blocks are designed again. At the end it verifies the results of all designs.
 *
 * A block is a line "Block NAME: KIND MEMBERS; task". Kinds: `ask` (each member works alone), `vote` (each works alone, the most frequent
 * answer counts), `chain` (each hears those before it), `debate` (two rounds, everyone hears the first in the second). A member may be
 * given a role, "Ann as critic". A line "Member NAME: MODEL; INSTRUCTION" creates a member. It is played by one of the team's members, with
 * its own instruction and context, so it does not know what that member was told or said elsewhere. A block hears the earlier blocks that
 * its task names as {NAME}. A design whose blocks were all solved is stored and reused at later moves until one of its blocks is not
 * solved.
 */

import { isObject, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Discussion, DiscussionResult, Protocol, Speech } from '../protocol.ts';
import { answerWords, isOn, listFrom, othersOf, plurality, settle, speechesOf } from '../protocol.ts';
import { isYes, linesIn } from '../speech.ts';

const kinds = ['ask', 'vote', 'chain', 'debate'] as const;
const mostBlocks = 8;
const mostWorkers = 8;

type Block = {
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  readonly workers: readonly { readonly seat: Seat; readonly role: string; readonly as?: string }[];
  readonly task: string;
};

export const designer: Protocol = {
  about: 'the lead builds a team out of blocks for the question, judges each block, designs again, and verifies (MAS-ZERO)',
  mechanisms: {
    members: 'no members are created: designs give tasks to the members that there are',
    redesign: 'blocks that are not solved are not designed again',
    reuse: 'every move is designed from scratch',
  },

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const hears = speechesOf(discussion, () => true);
    const askLead = (part: string, tell: string) => ({ asks: [{ seat: lead, part, tell, hears, choices, act: true as const }] });
    const creation = isOn(discussion, 'members')
      ? ` A line "Member NAME: MEMBER; INSTRUCTION" creates a member with an empty context, who is played by that member and can work in blocks.`
      : '';
    const form = `up to ${mostBlocks} lines "Block NAME: KIND MEMBERS; task". KIND is ask, vote, chain or debate; MEMBERS are some of ${othersOf(discussion).join(', ')}, each perhaps with a role ("Ann as critic"); {NAME} in a task passes on what that block came to.${creation}`;
    const designs = said.filter(({ part }) => part === 'design').length;
    const blocks = blocksOf(discussion);
    const last = said.at(-1);
    if (last?.part === 'verify') return { result: { answer: last.answer ?? settle(discussion).answer, ...resultOf(discussion, blocks) } };
    if (last === undefined && blocks.length === 0) return askLead('design', `Design a team for this question: ${form}`);
    if (last?.part === 'design' && blocks.length === 0)
      return last.answer === null
        ? askLead('verify', answerWords(discussion))
        : { result: { answer: last.answer, ...resultOf(discussion, blocks) } };
    if (last?.part === 'judge') {
      const unsolved = blocks.filter(({ name }) => !isSolved(last, name));
      if (unsolved.length > 0 && designs < rounds && isOn(discussion, 'redesign'))
        return askLead(
          'design',
          `Not solved: ${unsolved.map(({ name }) => name).join(', ')}. Design these blocks again, or others in their place: ${form}`,
        );
      const candidates = new Set(said.flatMap(({ part, answer }) => (part === 'judge' && answer !== null ? [answer] : [])));
      if (candidates.size === 1 && unsolved.length === 0)
        return { result: { answer: [...candidates][0], ...resultOf(discussion, blocks) } };
      return askLead('verify', `Verify the answers so far: ${[...candidates].join(' / ') || 'none'}. ${answerWords(discussion)}`);
    }
    const work = nextWork(discussion, blocks);
    if (work !== null) return { asks: work };
    const came = blocks.map((block) => `${block.name}: ${outcomeOf(discussion, block)}`).join('; ');
    const judge = `The blocks came to: ${came}\nJudge each: lines "Solved NAME: yes" or "Solved NAME: no". Then what follows. ${answerWords(discussion)}`;
    return askLead('judge', judge);
  },
};

/** Returns the blocks of the latest design, from this turn or stored from an earlier one. */
function blocksOf(discussion: Discussion): readonly Block[] {
  const design = discussion.said.findLast(({ part }) => part === 'design');
  if (design !== undefined) return blocksIn(discussion, design);
  return isOn(discussion, 'reuse') ? (listFrom(discussion, 'design').filter(isObject) as Block[]) : [];
}

function blocksIn(discussion: Discussion, { text }: Speech): readonly Block[] {
  const others = othersOf(discussion);
  const created = newMembersIn(discussion);
  return linesIn(text, 'block')
    .flatMap(([name, rest]): readonly Block[] => {
      const cut = rest.indexOf(';');
      const [kindWord = '', ...names] = rest
        .slice(0, cut < 0 ? rest.length : cut)
        .trim()
        .split(/[\s]+/);
      const kind = kinds.find((kind) => kind === kindWord.toLowerCase());
      if (kind === undefined) return [];
      const workers = names
        .join(' ')
        .split(linear(/\s*,\s*/))
        .flatMap((word) => {
          const [who = '', role = ''] = word.split(linear(/\s+as\s+/i));
          const seat = others.find((member) => member.toLowerCase() === who.trim().toLowerCase());
          const member = created.find(({ as }) => as.toLowerCase() === who.trim().toLowerCase());
          return seat === undefined ? (member === undefined ? [] : [member]) : [{ seat, role: role.trim() }];
        });
      return [
        {
          name,
          kind,
          workers: workers.length === 0 ? others.map((seat) => ({ seat, role: '' })) : workers.slice(0, mostWorkers),
          task: cut < 0 ? '' : rest.slice(cut + 1).trim(),
        },
      ];
    })
    .slice(0, mostBlocks);
}

/** Returns the members that the designs of this turn created, each played by a member of the team. A later line replaces an earlier one. */
function newMembersIn(discussion: Discussion): readonly (Block['workers'][number] & { readonly as: string })[] {
  if (!isOn(discussion, 'members')) return [];
  const others = othersOf(discussion);
  const lines = discussion.said.filter(({ part }) => part === 'design').flatMap(({ text }) => linesIn(text, 'member'));
  return lines.toReversed().flatMap(([as, rest]) => {
    const cut = rest.indexOf(';');
    const base = (cut < 0 ? rest : rest.slice(0, cut)).trim().toLowerCase();
    const seat = others.find((member) => member.toLowerCase() === base);
    const isTaken = others.some((member) => member.toLowerCase() === as.toLowerCase());
    return seat === undefined || isTaken ? [] : [{ seat, as, role: cut < 0 ? as : rest.slice(cut + 1).trim() }];
  });
}

/** Returns the members that work next and their block, or null if all have worked. */
function nextWork(discussion: Discussion, blocks: readonly Block[]) {
  const { said, choices, lead } = discussion;
  const from = said.findLastIndex(({ part }) => part === 'design');
  const done = said.slice(from + 1);
  for (const [at, block] of blocks.entries()) {
    const part = `block ${block.name}`;
    const spoken = done.filter((speech) => speech.part === part);
    const rounds = block.kind === 'debate' ? 2 : 1;
    if (spoken.length >= rounds * block.workers.length) continue;
    const earlier = blocks.slice(0, at).filter(({ name }) => block.task.includes(`{${name}}`));
    const task = earlier.reduce((text, block) => text.replaceAll(`{${block.name}}`, outcomeOf(discussion, block)), block.task);
    const within = spoken.map((speech) => said.indexOf(speech));
    const ask = ({ seat, role, as }: Block['workers'][number], hears: readonly number[]) => ({
      ...{ seat, part, hears, choices, act: true as const },
      ...(as === undefined ? {} : { as }),
      tell: `${as === undefined ? '' : `You are ${as}. ${role} `}${lead} asks you${role === '' || as !== undefined ? '' : `, as ${role}`}: ${task} ${answerWords(discussion)}`,
    });
    if (block.kind === 'chain') return [ask(block.workers[spoken.length], within)];
    const round = Math.floor(spoken.length / block.workers.length);
    // A member is never asked twice at the same time.
    const waiting = block.workers.slice(spoken.length % block.workers.length);
    const combined = waiting.filter(({ seat }, i) => waiting.findIndex((other) => other.seat === seat) === i);
    const isPrefix = combined.length === waiting.length;
    return (isPrefix ? combined : waiting.slice(0, 1)).map((worker) => ask(worker, round === 0 ? [] : within));
  }
  return null;
}

/** Returns the result of a block: the most frequent answer of a vote or debate, the last speech of a chain, otherwise all speeches. */
function outcomeOf({ said, lead, hears }: Discussion, { name, kind, workers }: Block): string {
  const spoken = said.filter(({ part, seat }) => part === `block ${name}` && hears(lead, seat)).slice(-workers.length);
  const vote = plurality(spoken.map(({ answer }) => answer));
  if ((kind === 'vote' || kind === 'debate') && vote.votes > 0) return vote.answer;
  return spoken
    .slice(kind === 'chain' ? -1 : 0)
    .map(({ seat, as, text }) => `${as ?? seat} said ${text.replace(/\s+/g, ' ').slice(0, 200)}`)
    .join(' / ');
}

function isSolved({ text }: Speech, name: string): boolean {
  return linesIn(text, 'solved').some(([who, mark]) => who.toLowerCase() === name.toLowerCase() && isYes(mark));
}

function resultOf(discussion: Discussion, blocks: readonly Block[]): Partial<DiscussionResult> {
  const { said } = discussion;
  const designs = said.filter(({ part }) => part === 'design').length;
  const judged = said.findLast(({ part }) => part === 'judge');
  const isGood = judged !== undefined && blocks.every(({ name }) => isSolved(judged, name));
  const memory: JsonObject = isOn(discussion, 'reuse') && isGood ? { design: blocks } : {};
  const redesigns = Math.max(0, designs - 1);
  const created = new Set(blocks.flatMap(({ workers }) => workers.flatMap(({ as }) => as ?? []))).size;
  return { memory, revisions: redesigns, acted: { designs, redesigns, created, reused: designs === 0 ? 1 : 0, blocks: blocks.length } };
}
